import ArgumentParser
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
    guard let bytes = Quantity.bytes(text), (leastMemory...FileNumbers.memory.upperBound).contains(bytes) else {
      throw UsageError(
        "'\(text)' is not usable; give 'all' or a size from \(Quantity.size(leastMemory)) "
          + "to \(Quantity.size(FileNumbers.memory.upperBound)), such as 64MiB")
    }
    return bytes
  }

  static func seed(_ text: String) throws -> UInt64 {
    guard let number = UInt64(text) else {
      throw UsageError("'\(text)' is not a seed; give a whole number from 0 to \(UInt64.max)")
    }
    return number
  }

  static func rate(_ text: String) throws -> Double {
    guard let rate = Double(text), FileNumbers.rate.contains(rate) else {
      throw UsageError(
        "'\(text)' is not usable; give operations per second, above 0 and at most "
          + "\(Quantity.grouped(Int(FileNumbers.rate.upperBound))), such as 100")
    }
    return rate
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
