import Foundation
import StorageContract

/// A run of one conformance check on one backend. Each step of the check runs in a new process.
struct CheckRun {
  let check: any ConformanceCheck.Type
  let subject: CheckedBackend
  let directory: String?
  let limit: Int

  func result() throws -> ConformanceResult {
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
      guard let answer = ending.answer(CheckAnswer.self),
        answer.isAboutToDie ? ending.how.status < 0 : ending.how.status == 0
      else {
        return result(.broken([ending.sentence]), isHanging: ending.isHang)
      }
      if let reason = answer.unchecked { return result(.unchecked(reason)) }
      if !answer.violations.isEmpty { return result(.broken(answer.violations)) }
    }
    return result(.kept)
  }

  private func result(_ status: ConformanceResult.PromiseStatus, isHanging: Bool = false) -> ConformanceResult {
    ConformanceResult(
      backend: subject.name, durability: subject.durability, check: check.id, promise: check.promise,
      status: status, isHanging: isHanging)
  }
}
