import StorageContract

/// A parser of numbers in data files, such as `-1.5e3`: decimal digits, with an optional sign, point and exponent.
enum PlainNumber {
  /// Returns the finite number that a text such as `-1.5e3` represents.
  ///
  /// - Throws: ``UsageError`` with the reason. The caller adds the line and column.
  static func read(_ text: String) throws -> Double {
    // Double(_:) reads `nan` and hexadecimal numbers, too.
    guard text.utf8.allSatisfy("0123456789+-.eE".utf8.contains), let number = Double(text) else {
      let isWord = ["nan", "inf", "infinity"].contains { text.lowercased().drop { "+-".contains($0) } == $0[...] }
      let reason =
        isWord
        ? "is not a finite number, and not all backends can keep it; leave the field empty"
        : "is not a number; write it as -1234.5 or 1e-3, without spaces and with a point"
      throw UsageError("'\(text.visible)' \(reason)")
    }
    guard number.isFinite else {
      throw UsageError(
        "'\(text.visible)' is larger than the largest number, about 1.8e308; correct it, or leave it empty")
    }
    return number
  }
}
