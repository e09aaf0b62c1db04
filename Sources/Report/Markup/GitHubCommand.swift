/// A workflow command of GitHub Actions, as steps print them to annotate a run.
enum GitHubCommand {
  /// One line, its parts escaped as workflow commands want it.
  static func line(_ name: String, _ title: String, _ message: String) -> String {
    "::\(name) title=\(property(title))::\(data(message))"
  }

  private static func data(_ text: String) -> String {
    // By scalars: CR LF is one character.
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
          switch scalar {
          case "%": Array("%25".unicodeScalars)
          case "\r": Array("%0D".unicodeScalars)
          case "\n": Array("%0A".unicodeScalars)
          default: [scalar]
          }
        }))
  }

  /// A property, which must not end at a colon or comma either.
  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
