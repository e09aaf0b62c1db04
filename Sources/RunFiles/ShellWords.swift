/// Words of a command line, written so that a shell reads them back as they are.
public enum ShellWords {
  /// A word as it is where no shell would read anything into it, else in single quotes.
  public static func quoted(_ word: String) -> String {
    let plain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.,:=/+%@".contains($0)) }
    return plain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }

  /// A command to be copied into a shell.
  public static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}
