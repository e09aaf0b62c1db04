import ArgumentParser
import StorageContract
import Foundation
import StorageRunFiles
import StorageTrial

/// Parsers for the values of options. Each parser takes a text and returns a value, or throws a `UsageError` that names
/// the valid values.
///
/// An option names its parser in its declaration, and a plan file uses the same parser for the key of the option.
/// ``UsageError/init(ofParser:)`` adds the name of the option to the error.
enum FlagValue {
  typealias Reader<Value> = @Sendable (String) throws -> Value

  /// The valid times for a whole command, in nanoseconds.
  static let budgets: ClosedRange<Int64> = 1_000_000_000...86_400_000_000_000
  /// The minimum memory limit in bytes, which a process needs to start.
  static let leastMemory = 16 << 20

  /// Returns a parser of counts such as `10k` within a range.
  static func count(_ range: ClosedRange<Int>) -> Reader<Int> {
    { text in
      guard let number = Quantity.bytes(text), range.contains(number) else {
        throw UsageError(
          "'\(text)' is not usable; give a whole number from \(Quantity.grouped(range.lowerBound)) "
            + "to \(Quantity.grouped(range.upperBound)), such as 100 or 10k")
      }
      return number
    }
  }

  /// Returns a parser of times such as `500ms` within a range, in nanoseconds.
  static func time(_ range: ClosedRange<Int64>) -> Reader<Int64> {
    { text in
      guard let time = Quantity.nanoseconds(text), range.contains(time) else {
        throw UsageError(
          "'\(text)' is not usable; give a time from \(Quantity.time(range.lowerBound)) "
            + "to \(Quantity.time(range.upperBound)) with its unit, such as 500ms or 5m")
      }
      return time
    }
  }

  /// Returns a parser of a word from a list of words.
  ///
  /// - Parameter kind: The kind of the word, for an error message.
  static func word<Choice: RawRepresentable & CaseIterable>(_ kind: String) -> Reader<Choice>
  where Choice.RawValue == String {
    { text in
      guard let choice = Choice(rawValue: text) else {
        throw UsageError(Nearest.sentence(kind, text, among: Choice.allCases.map(\.rawValue)))
      }
      return choice
    }
  }

  /// Returns a parser of a list separated by commas, which removes duplicates.
  static func list<Value: Hashable>(_ read: @escaping Reader<Value>) -> Reader<[Value]> {
    { text in try Catalog.list(text).map(read).unique }
  }

  /// Parses a memory limit such as `64MiB`, in bytes; nil for `all`, which means no limit.
  static func memory(_ text: String) throws -> Int? {
    if text == "all" { return nil }
    guard let bytes = Quantity.bytes(text), (leastMemory...FileNumbers.memory.upperBound).contains(bytes) else {
      throw UsageError(
        "'\(text)' is not usable; give 'all' or a size of at least \(Quantity.size(leastMemory)), such as 64MiB")
    }
    return bytes
  }

  static func seed(_ text: String) throws -> UInt64 {
    guard let number = UInt64(text) else {
      throw UsageError("'\(text)' is not a seed; give a whole number from 0 to \(UInt64.max)")
    }
    return number
  }

  /// Parses a number of operations per second.
  static func rate(_ text: String) throws -> Double {
    guard let rate = Double(text), FileNumbers.rate.contains(rate) else {
      throw UsageError("'\(text)' is not usable; give operations per second, such as 100")
    }
    return rate
  }
}

extension UsageError {
  /// Creates an error with the name of an option before the sentence: `--seed 'x' is not a seed`, `--cache: unknown
  /// cache state 'hot'`.
  init(_ flag: String, _ sentence: String) {
    self.init(sentence.hasPrefix("'") ? "\(flag) \(sentence)" : "\(flag): \(sentence)")
  }

  /// Creates an error from the message in which ArgumentParser quotes the error of a ``FlagValue`` parser. The result
  /// is nil for errors that ArgumentParser itself has found.
  init?(ofParser message: String) {
    // "The value 'x' is invalid for '--seed <seed>': 'x' is not a seed; ..."
    guard let middle = message.range(of: "' is invalid for '"), let end = message[middle.upperBound...].range(of: "': ")
    else { return nil }
    let flag = message[middle.upperBound..<end.lowerBound].prefix { $0 != " " }
    self.init(String(flag), String(message[end.upperBound...]))
  }

  /// Parses a text that ArgumentParser has not parsed. If the text is invalid, the error names the option `flag`.
  static func naming<Value>(_ flag: String, _ text: String, _ read: FlagValue.Reader<Value>) throws -> Value {
    do {
      return try read(text)
    } catch let error as UsageError {
      throw UsageError(flag, error.description)
    }
  }
}
