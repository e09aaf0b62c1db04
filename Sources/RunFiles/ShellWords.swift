/// Words of a command line, quoted for a shell.
public enum ShellWords {
  /// Returns a word for a shell: in single quotes if it has special characters, otherwise unchanged.
  public static func quoted(_ word: String) -> String {
    let plain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.,:=/+%@".contains($0)) }
    return plain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }

  /// Returns a command as one line of text that can be copied into a shell.
  public static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}
