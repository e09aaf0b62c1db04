import StorageContract
import Foundation
import StorageRunFiles
import StorageTrial

/// The parsers for option values, also in plan files. A parser throws a `UsageError` that names the valid values.
enum FlagValue {
  typealias Reader<Value> = @Sendable (String) throws -> Value

  /// The valid values of `--budget`, in nanoseconds: from one second to one day.
  static let budgets: ClosedRange<Int64> = 1_000_000_000...86_400_000_000_000
  /// The smallest valid memory limit in bytes. With less, a process cannot start.
  static let leastMemory = 16 << 20

  /// Reads a value within a range. Throws a `UsageError` with `words`, which describe the valid values.
  static func value<Value>(
    _ text: String, in range: ClosedRange<Value>, _ words: String, _ read: (String) -> Value?
  ) throws -> Value {
    guard let value = read(text), range.contains(value) else {
      throw UsageError("'\(text)' is not usable; give \(words)")
    }
    return value
  }

  static func count(_ range: ClosedRange<Int>) -> Reader<Int> {
    let limits = "from \(Quantity.grouped(range.lowerBound)) to \(Quantity.grouped(range.upperBound))"
    return { try value($0, in: range, "a whole number \(limits), such as 100 or 10k") { Quantity.bytes($0) } }
  }

  static func time(_ range: ClosedRange<Int64>) -> Reader<Int64> {
    let limits = "from \(Quantity.time(range.lowerBound)) to \(Quantity.time(range.upperBound))"
    return {
      try value($0, in: range, "a time \(limits) with its unit, such as 500ms or 5m") { Quantity.nanoseconds($0) }
    }
  }

  static func word<Choice: RawRepresentable & CaseIterable & SendableMetatype>(_ kind: String) -> Reader<Choice>
  where Choice.RawValue == String {
    let names = Choice.allCases.map(\.rawValue)
    return { text in
      guard let choice = Choice(rawValue: text) else {
        throw UsageError(Nearest.sentence(kind, text, among: names))
      }
      return choice
    }
  }

  static func list<Value: Hashable & SendableMetatype>(_ read: @escaping Reader<Value>) -> Reader<[Value]> {
    { text in try Catalog.list(text).map(read).unique }
  }

  /// Parses a memory limit such as `64MiB`, in bytes; nil for `all`, which means no limit.
  static func memory(_ text: String) throws -> Int? {
    if text == "all" { return nil }
    let range = leastMemory...FileNumbers.memory.upperBound
    let limits = "from \(Quantity.size(range.lowerBound)) to \(Quantity.size(range.upperBound))"
    return try value(text, in: range, "'all' or a size \(limits), such as 64MiB") { Quantity.bytes($0) }
  }

  static func seed(_ text: String) throws -> UInt64 {
    guard let number = UInt64(text) else {
      throw UsageError("'\(text)' is not a seed; give a whole number from 0 to \(UInt64.max)")
    }
    return number
  }

  static func rate(_ text: String) throws -> Double {
    let most = Quantity.grouped(Int(FileNumbers.rate.upperBound))
    let words = "operations per second, above 0 and at most \(most), such as 100"
    return try value(text, in: FileNumbers.rate, words) { Double($0) }
  }
}

extension UsageError {
  /// Creates an error that begins with the name of an option: `--seed 'x' is not a seed`.
  init(_ flag: String, _ sentence: String) {
    self.init(sentence.hasPrefix("'") ? "\(flag) \(sentence)" : "\(flag): \(sentence)")
  }

  /// Creates an error from a message of ArgumentParser about an invalid value of an option such as `--seed`; nil for
  /// other messages.
  init?(ofParser message: String) {
    // The message has the form "The value 'x' is invalid for '--seed <seed>': 'x' is not a seed".
    guard let middle = message.range(of: "' is invalid for '"), let end = message[middle.upperBound...].range(of: "': ")
    else { return nil }
    let flag = message[middle.upperBound..<end.lowerBound].prefix { $0 != " " }
    self.init(String(flag), String(message[end.upperBound...]))
  }

  /// Parses a text with `read`. Errors begin with `flag`, the name of the option.
  static func naming<Value>(_ flag: String, _ text: String, _ read: FlagValue.Reader<Value>) throws -> Value {
    do {
      return try read(text)
    } catch let error as UsageError {
      throw UsageError(flag, error.description)
    }
  }
}
