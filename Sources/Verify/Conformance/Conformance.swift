import Foundation
import StorageContract

/// Checks whether a backend keeps what `StorageBackend` promises. It is named in one line of a test:
///
///     @Test func conforms() throws { try Conformance.check(MyStore.self) }
///
/// Every check runs in processes of its own, which are this executable started anew: a backend that crashes, hangs or
/// ends the process is found out and named, and "after reopening" means by a process that has only the files to go by.
/// The class must not be private, or that process could not find it.
///
/// Where all of them are kept, a short crash test follows: see ``CrashTest`` for the long one.
///
/// The kit makes no exceptions. What a backend cannot keep stands in its description, as a `Deviation`, and is checked
/// to be as it says.
public enum Conformance {
  /// Checks a backend in its default options completely, and each other value of each option in what depends on it.
  ///
  /// - Parameters:
  ///   - backend: The backend's class.
  ///   - options: One set of options to check instead, as on the command line: `journal=wal:statements=fresh`.
  ///   - directory: An existing directory to make stores in; by default, the temporary directory.
  ///   - limit: Seconds after which a process counts as hanging.
  /// - Throws: ``ConformanceFailure`` with every promise that was broken; `UsageError` for unknown options, or if this
  ///   executable cannot be started again.
  public static func check(
    _ backend: any StorageBackend.Type, options: String? = nil, in directory: String? = nil, limit: Int = 60
  ) throws {
    let broken = try results(backend, options: options, in: directory, limit: limit).filter(\.isBroken)
    if !broken.isEmpty { throw ConformanceFailure(results: broken) }
  }

  /// The same check, promise by promise, with what does not apply and what this machine does not let be checked.
  ///
  /// - Throws: `UsageError`, as ``check(_:options:in:limit:)``.
  public static func results(
    _ backend: any StorageBackend.Type, options: String? = nil, in directory: String? = nil, limit: Int = 60
  ) throws -> [ConformanceResult] {
    var results = try results(backend, ConformanceChecks.all, options: options, in: directory, limit: limit)
    // What is wrong without any fault would only be found again.
    guard !results.contains(where: \.isBroken) else { return results }
    for options in try optionSets(backend, options).prefix(1) {
      guard let subject = CheckedBackend(backend, options, .shipped) else { continue }
      results.append(try CrashCheck(subject: subject, directory: directory, limit: limit).result())
    }
    return results
  }

  static func results(
    _ backend: any StorageBackend.Type, _ checks: [any ConformanceCheck.Type], options text: String? = nil,
    in directory: String? = nil, limit: Int = 60
  ) throws -> [ConformanceResult] {
    var results: [ConformanceResult] = []
    for options in try optionSets(backend, text) {
      // One set of options that was asked for is checked completely, too.
      let isDefault = options.isEmpty || text != nil
      for check in checks where isDefault || check.dependsOnOptions {
        let durabilities = check.dependsOnDurability ? Durability.allCases : [.shipped]
        for durability in durabilities {
          guard let subject = CheckedBackend(backend, options, durability) else { continue }
          let run = CheckRun(check: check, subject: subject, directory: directory, limit: limit)
          let result = try run.result()
          results.append(result)
          // What hung once would hang again and again.
          if result.isHanging { return results }
        }
      }
    }
    return results
  }

  /// The options to check: those given, or the defaults and each other value by itself.
  private static func optionSets(_ backend: any StorageBackend.Type, _ text: String?) throws -> [Options] {
    let description = backend.description
    func parse(_ texts: [String]) throws -> Options {
      try Options(parsing: texts, specs: description.options, owner: "backend \(description.id)")
    }
    if let text { return [try parse(text.split(separator: ":").map(String.init))] }
    return try [Options()]
      + description.options.flatMap { spec in
        try spec.otherValues.map { try parse(["\(spec.name)=\($0)"]) }
      }
  }
}

extension OptionSpec {
  /// Values that are not the default: all of a list, one of a range.
  var otherValues: [String] {
    switch values {
    case .choice(let list): Array(list.dropFirst())
    case .number(let number): [String(number + 1)]
    case .size: ["32MiB"]
    case .choiceOrNumber(let list): Array(list.dropFirst()) + ["2"]
    case .percentage(let number): [String(number == 50 ? 51 : 50)]
    }
  }
}
