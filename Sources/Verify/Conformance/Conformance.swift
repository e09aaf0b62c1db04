import Foundation
import StorageContract

/// The tests of whether a backend keeps the contract of `StorageBackend`: `Conformance.check(MyStore.self)`. The
/// backend's class must not be private. The only permitted exceptions are the `Deviation` values of the backend's
/// description.
public enum Conformance {
  /// Runs every conformance check on a backend, and throws an error if the backend breaks a guarantee.
  ///
  /// - Parameters:
  ///   - options: The options, such as `journal=wal:statements=fresh`; nil to check several values of each option.
  ///   - directory: An existing directory for stores. The default is the temporary directory.
  ///   - limit: The timeout of each child process, in seconds. A child process runs one step of a check.
  /// - Throws: ``ConformanceFailure`` for broken guarantees. `UsageError` for unknown options, for a private class, or
  ///   if no child process can be started.
  public static func check(
    _ backend: any StorageBackend.Type, options: String? = nil, in directory: String? = nil, limit: Int = 60
  ) throws {
    let broken = try results(backend, options: options, in: directory, limit: limit).filter(\.isBroken)
    if !broken.isEmpty { throw ConformanceFailure(results: broken) }
  }

  /// Runs all conformance checks and, if none fails, a short crash test. A check that runs with several options or
  /// durabilities has one result for each.
  ///
  /// - Throws: `UsageError` for unknown options, for a private class, or if no child process can be started.
  public static func results(
    _ backend: any StorageBackend.Type, options: String? = nil, in directory: String? = nil, limit: Int = 60
  ) throws -> [ConformanceResult] {
    var results = try results(backend, ConformanceChecks.all, options: options, in: directory, limit: limit)
    // If a check fails without a fault, a crash test would only repeat the failure.
    guard !results.contains(where: \.isBroken) else { return results }
    if let subject = try optionSets(backend, options).first.flatMap({ CheckedBackend(backend, $0, .shipped) }) {
      let promise = "what is acknowledged survives kills and failed calls, and errors are reported"
      let status = try crashStatus(subject, in: directory, limit: limit)
      results.append(ConformanceResult(subject, "crash", promise, status))
    }
    return results
  }

  static func results(
    _ backend: any StorageBackend.Type, _ checks: [any ConformanceCheck.Type], options text: String? = nil,
    in directory: String? = nil, limit: Int = 60
  ) throws -> [ConformanceResult] {
    var results: [ConformanceResult] = []
    for options in try optionSets(backend, text) {
      // Options that the caller requested are checked as completely as the defaults.
      let isDefault = options.isEmpty || text != nil
      for check in checks where isDefault || check.dependsOnOptions {
        let durabilities = check.dependsOnDurability ? Durability.allCases : [.shipped]
        for durability in durabilities {
          guard let subject = CheckedBackend(backend, options, durability) else { continue }
          let result = try result(check, subject, in: directory, limit: limit)
          results.append(result)
          // A check that hangs would hang until the timeout with every other option, too.
          if result.isHanging { return results }
        }
      }
    }
    return results
  }

  /// Runs one conformance check on one backend. Each step of the check runs in a new process.
  private static func result(
    _ check: any ConformanceCheck.Type, _ subject: CheckedBackend, in directory: String?, limit: Int
  ) throws -> ConformanceResult {
    func result(_ status: ConformanceResult.PromiseStatus, isHanging: Bool = false) -> ConformanceResult {
      ConformanceResult(subject, check.id, check.promise, status, isHanging: isHanging)
    }
    if let reason = check.exemption(subject) { return result(.notApplicable(reason)) }
    let parent = directory ?? FileManager.default.temporaryDirectory.path
    let directories = ChildDirectories(directory: "\(parent)/conformance-\(UUID().uuidString)")
    try directories.make()
    defer { try? FileManager.default.removeItem(atPath: directories.directory) }
    // A store in memory ends with its process, so a later step in another process would find nothing.
    let steps = subject.leavesNothing != nil ? min(1, check.steps.count) : check.steps.count
    for step in 0..<steps {
      let task = CheckTask(subject: subject, check: try ChildLaunch.name(of: check), step: step)
      let ending = try ChildLaunch(directories: directories, limit: limit, environment: check.environment)
        .perform(task)
      if let obstacle = ending.obstacle { return result(.unchecked(obstacle)) }
      guard let answer = ending.answer(CheckAnswer.self),
        answer.isAboutToDie ? ending.how.status < 0 : ending.how.status == 0
      else {
        return result(.broken([ending.sentence]), isHanging: ending.isHang)
      }
      if !answer.violations.isEmpty { return result(.broken(answer.violations)) }
    }
    return result(.kept)
  }

  /// Runs a short crash test: a few cases of each usual fault, such as a kill.
  private static func crashStatus(
    _ subject: CheckedBackend, in directory: String?, limit: Int
  ) throws -> ConformanceResult.PromiseStatus {
    if let reason = subject.leavesNothing { return .notApplicable(reason) }
    do {
      let test = try CrashTest(
        subject.type, options: subject.options, durability: subject.durability, count: 5,
        history: SaveHistory(records: 8, count: 4), directory: directory, limit: limit)
      let stories = try test.results().flatMap(\.stories).filter(\.isBroken)
      return stories.isEmpty ? .kept : .broken(stories.map { $0.sentences.joined(separator: " ") })
    } catch let error as CrashTestError {
      return .broken([error.description])
    } catch let error as CallLogError {
      return .unchecked(error.description)
    }
  }

  private static func optionSets(_ backend: any StorageBackend.Type, _ text: String?) throws -> [Options] {
    let description = backend.description
    func parse(_ texts: [String]) throws -> Options {
      try Options(parsing: texts, specs: description.options, owner: "backend \(description.id)")
    }
    if let text { return [try parse(text.split(separator: ":").map(String.init))] }
    let others = try description.options.flatMap { spec in
      try spec.otherValues.map { try parse(["\(spec.name)=\($0)"]) }
    }
    // The checks store less than these numbers. Options that leave less room in the store are left out.
    return [Options()] + others.filter { description.lackOfRoom($0, 100_000, 64 << 20) == nil }
  }
}

extension OptionSpec {
  /// The values of this backend option that are checked besides the default value, such as `32MiB` for a size.
  var otherValues: [String] {
    switch values {
    case .choice(let list): list.count > 4 ? [list[1], list[list.count - 1]] : Array(list.dropFirst())
    case .number(let number): [String(number + 1)]
    case .size: ["32MiB"]
    case .choiceOrPath(let list): Array(list.dropFirst())
    case .choiceOrNumber(let list): Array(list.dropFirst()) + ["2"]
    case .duration: ["10s"]
    case .percentage(let number): [String(number == 50 ? 51 : 50)]
    }
  }
}
