import Foundation
import StorageContract

/// One step of a conformance check, run in its own process.
struct CheckTask: ChildTask {
  var subject: CheckedBackend
  var check: String
  var step: Int

  func perform(in child: ChildProcess) { child.answer(answer(in: child)) }

  private func answer(in child: ChildProcess) -> CheckAnswer {
    guard let check = _typeByName(check) as? any ConformanceCheck.Type else {
      return CheckAnswer(violations: [
        "the child process does not know the check that its parent asked it to make; link it into the executable itself"
      ])
    }
    do {
      if let reason = try child.confine(to: check.disk) { return CheckAnswer(unchecked: reason) }
    } catch {
      return CheckAnswer(unchecked: "\(error)")
    }
    let subject = CheckSubject(subject, in: child)
    do {
      try check.steps[step](subject)
    } catch {
      subject.violate("unexpected error: \(error)")
    }
    return CheckAnswer(violations: subject.violations)
  }
}
