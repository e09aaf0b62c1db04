import Foundation

/// An option that a user can set for a backend or a workload, such as `journal` in `sqlite:journal=wal`.
public struct OptionSpec: Sendable, Hashable {
  /// The values that an option can accept, together with the option's default value.
  public enum Values: Sendable, Hashable {
    /// A word from the associated list. The first word is the default.
    case choice([String])
    /// A whole number from 1 to ``OptionSpec/most``. The associated number is the default.
    case number(Int)
    /// A size up to ``OptionSpec/most``, such as `64MiB`, or the associated word, such as `no`. The word is the
    /// default.
    case size(or: String)
    /// A word from the associated list, or a whole number from 1 to ``OptionSpec/most``. The first word is the default.
    case choiceOrNumber([String])
    /// A word from the associated list, or the path of a file with at least one slash. The first word is the default.
    case choiceOrPath([String])
    /// A percentage from 0 to 100, with up to three decimals. The associated number is the default.
    case percentage(Int)
    /// A time from 1 ms to 1 h with its unit, such as `500ms`. The associated text is the default.
    case duration(String)
  }

  /// The option's name, which a user writes left of the `=`.
  public let name: String
  /// The values that the option accepts.
  public let values: Values
  /// The largest number or size that the option accepts.
  public let most: Int
  /// The effect of the option in a few words, as the `list` command shows it.
  public let help: String

  /// Declares an option of a backend or a workload. `most` is the largest accepted number or size.
  public init(_ name: String, _ values: Values, most: Int = .max, help: String) {
    self.name = name
    self.values = values
    self.most = most
    self.help = help
  }

  /// Declares an option that accepts one of several words, the first of which is the default.
  public init(_ name: String, _ values: [String], help: String) { self.init(name, .choice(values), help: help) }

  /// The value that applies if the option is not given.
  public var defaultValue: String {
    switch values {
    case .choice(let list), .choiceOrNumber(let list), .choiceOrPath(let list): list[0]
    case .number(let number), .percentage(let number): String(number)
    case .size(let word), .duration(let word): word
    }
  }

  /// The values that may follow the option's `=`, for messages and the `list` command. `NUMBER` or `PATH` stands for
  /// any such value.
  public var valueNames: [String] {
    switch values {
    case .choice(let list): list
    case .choiceOrNumber(let list): list + ["NUMBER"]
    case .choiceOrPath(let list): list + ["PATH"]
    case .number: ["NUMBER"]
    case .size(let word): [word, "SIZE"]
    case .percentage: ["PERCENT"]
    case .duration: ["TIME"]
    }
  }

  /// Returns the standard spelling of a value, such as `7` for `007`, so that equal values have one spelling.
  func canonical(_ text: String) -> String {
    switch values {
    case .choice, .size: text
    // A path is made absolute, because the processes that open stores have other working directories.
    case .choiceOrPath: text.contains("/") ? URL(fileURLWithPath: text).standardizedFileURL.path : text
    case .choiceOrNumber, .number: Int(text).map(String.init) ?? text
    case .percentage:
      Double(text).map { $0 == $0.rounded() ? String(Int($0)) : String($0) } ?? text
    case .duration: Quantity.nanoseconds(text).map(Quantity.time) ?? text
    }
  }

  /// Returns an error message with the accepted range for a rejected value, such as `0`. Nil if no range applies.
  func rangeComplaint(_ text: String) -> String? {
    func sentence(_ kind: String, _ most: String) -> String {
      "'\(text)' is not usable; give a \(kind) from 1 \(self.most == .max ? "on" : "to \(most)")"
    }
    switch values {
    case .number, .choiceOrNumber:
      guard !text.isEmpty, text.allSatisfy({ $0.isNumber || $0 == "-" }) else { return nil }
      return sentence("whole number", Quantity.grouped(most))
    case .size: return Quantity.bytes(text).map { _ in sentence("size", Quantity.size(most)) }
    case .percentage:
      return Double(text).map { _ in "'\(text)' is not usable; give a share from 0 to 100 with at most three decimals" }
    case .duration: return "'\(text)' is not usable; give a time from 1ms to 1h with its unit, such as 500ms"
    case .choice, .choiceOrPath: return nil
    }
  }

  /// Returns whether the option accepts the text as its value.
  public func accepts(_ text: String) -> Bool {
    switch values {
    case .choice(let list): list.contains(text)
    case .choiceOrPath(let list): list.contains(text) || text.contains("/")
    case .choiceOrNumber(let list): list.contains(text) || (1...most).contains(Int(text) ?? 0)
    case .number: (1...most).contains(Int(text) ?? 0)
    case .size(let word): text == word || (1...most).contains(Quantity.bytes(text) ?? 0)
    case .percentage:
      // A percentage has only digits and a point; `Double` would accept more.
      text.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." } && (Double(text) ?? 101) <= 100
        && (text.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first?.count ?? 1) <= 3
    case .duration: (1_000_000...3_600_000_000_000).contains(Quantity.nanoseconds(text) ?? 0)
    }
  }
}

/// The options that are set for a backend or workload. Default values are not stored, so that equal settings compare as
/// equal.
public struct Options: Hashable, Sendable, CustomStringConvertible {
  fileprivate var pairs: [Pair] = []

  fileprivate struct Pair: Hashable, Sendable {
    var name: String
    var value: String
  }

  /// Creates options that all have their default values.
  public init() {}

  /// Creates options from a text such as `journal=delete:statements=fresh`, without validating them.
  public init(verbatim text: String) {
    pairs = text.split(separator: ":").map { part in
      // Empty parts are kept, so that a `=` alone in a file becomes an empty option and does not trap.
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return Pair(name: pair[0], value: pair.count > 1 ? pair[1] : "")
    }
  }

  /// Parses options from `name=value` texts.
  ///
  /// - Parameters:
  ///   - texts: One text per option: `journal=delete`, `statements=fresh`.
  ///   - specs: The options that the backend or workload declares.
  ///   - owner: The backend or workload for error messages, such as `backend sqlite`.
  /// - Throws: ``UsageError`` for an unknown option, an invalid value or a repeated option.
  public init(parsing texts: [String], specs: [OptionSpec], owner: String) throws {
    var given: [String: String] = [:]
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let spec = specs.first(where: { $0.name == parts[0] }) else {
        throw UsageError(Nearest.sentence("option", parts[0], of: owner, among: specs.map(\.name)))
      }
      let option = "option \(spec.name) of \(owner)"
      let value = parts.count == 2 ? parts[1] : ""
      guard parts.count == 2, spec.accepts(value) else {
        let complaint = parts.count == 2 ? spec.rangeComplaint(value) : nil
        throw UsageError(
          complaint.map { "\(option) \($0)" } ?? Nearest.sentence("value", value, of: option, among: spec.valueNames))
      }
      guard given.updateValue(spec.canonical(value), forKey: spec.name) == nil else {
        throw UsageError("\(option) is given twice; give it once")
      }
    }
    pairs = specs.compactMap { spec in
      guard let value = given[spec.name], value != spec.defaultValue else { return nil }
      return Pair(name: spec.name, value: value)
    }
  }

  /// Returns the value that is set for the option `spec`, or the option's default value.
  public subscript(spec: OptionSpec) -> String { pairs.first { $0.name == spec.name }?.value ?? spec.defaultValue }

  /// Returns a copy of the options in which `spec` has the given value. If the option is already set, the copy is
  /// unchanged.
  package func giving(_ spec: OptionSpec, _ value: String) -> Options {
    guard self[spec] == spec.defaultValue, value != spec.defaultValue else { return self }
    var options = self
    options.pairs.append(Pair(name: spec.name, value: value))
    return options
  }

  /// Returns a copy of the options in which one option is reset to its default value.
  public func without(_ spec: OptionSpec) -> Options {
    var options = self
    options.pairs.removeAll { $0.name == spec.name }
    return options
  }

  /// The names of the options whose values differ from their defaults.
  public var names: [String] { pairs.map(\.name) }

  /// Whether all options have their default values.
  public var isEmpty: Bool { pairs.isEmpty }

  /// The options in the notation of the command line: `journal=delete:statements=fresh`.
  public var description: String { pairs.map { "\($0.name)=\($0.value)" }.joined(separator: ":") }
}

/// A backend or a workload together with its options, as in `sqlite:journal=delete`.
public struct Spec: Hashable, Sendable, CustomStringConvertible {
  /// The id of the backend or workload, such as `sqlite`.
  public let id: String
  /// The options of the backend or workload that differ from their default values, such as `journal=delete`.
  public let options: Options

  /// Creates the specification of a backend or a workload from its id, such as `sqlite`, and its options.
  public init(id: String, options: Options = Options()) {
    self.id = id
    self.options = options
  }

  /// Creates a backend or workload from a text such as `import:batch=1000`, without validating its options.
  public init(verbatim text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    self.init(id: parts[0], options: Options(verbatim: parts.count > 1 ? parts[1] : ""))
  }

  /// The engine's name in result files: the backend's id, and a value of the option `library`: `sqlite/sqlcipher`.
  public var engine: String { options.pairs.first { $0.name == "library" }.map { "\(id)/\($0.value)" } ?? id }

  /// The backend or workload with its options in the notation of the command line: `sqlite:journal=delete`.
  public var description: String { options.isEmpty ? id : "\(id):\(options)" }
}
