import Foundation
import StorageContract

/// One step of a conformance check, run in its own process.
struct CheckTask: ChildTask {
  var type: String
  var check: String
  var step: Int
  var options: String
  var durability: Durability

  func perform(in child: ChildProcess) { child.answer(answer(in: child)) }

  private func answer(in child: ChildProcess) -> CheckAnswer {
    guard let check = _typeByName(check) as? any ConformanceCheck.Type,
      let type = _typeByName(type) as? any StorageBackend.Type,
      let backend = CheckedBackend(type, Options(verbatim: options), durability)
    else {
      return CheckAnswer(violations: [
        "the child process does not know the check or the backend that its parent asked it to test; "
          + "link both into the executable itself"
      ])
    }
    do {
      if let reason = try child.confine(to: check.disk) { return CheckAnswer(unchecked: reason) }
    } catch {
      return CheckAnswer(unchecked: "\(error)")
    }
    let subject = CheckSubject(backend, in: child)
    do {
      try check.steps[step](subject)
    } catch {
      subject.violate("unexpected error: \(error)")
    }
    return CheckAnswer(violations: subject.violations)
  }
}
