import StorageContract

/// A short crash test after the conformance checks: a few cases of each usual fault, such as a kill, at the default
/// durability.
struct CrashCheck {
  static let id = "crash"
  static let promise = "what is acknowledged survives kills and failed calls, and errors are reported"

  private static let count = 5

  let subject: CheckedBackend
  let directory: String?
  let limit: Int

  func result() throws -> ConformanceResult {
    if let reason = subject.leavesNothing { return result(.notApplicable(reason)) }
    do {
      let test = try CrashTest(
        subject.type, options: subject.options, durability: subject.durability, count: Self.count,
        history: SaveHistory(records: 8, count: 4), directory: directory, limit: limit)
      let stories = try test.results().flatMap(\.stories).filter(\.isBroken)
      return result(stories.isEmpty ? .kept : .broken(stories.map { $0.sentences.joined(separator: " ") }))
    } catch let error as CrashTestError {
      return result(.broken([error.description]))
    } catch let error as CallLogError {
      return result(.unchecked(error.description))
    }
  }

  private func result(_ status: ConformanceResult.PromiseStatus) -> ConformanceResult {
    ConformanceResult(
      backend: subject.name, durability: subject.durability, check: Self.id, promise: Self.promise, status: status,
      isHanging: false)
  }
}
