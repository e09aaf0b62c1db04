import StorageContract

/// One step of a conformance check, run in its own process.
struct CheckTask: ChildTask {
  var subject: CheckedBackend
  var check: String
  var step: Int

  func perform(in child: ChildProcess) throws {
    guard let check = _typeByName(check) as? any ConformanceCheck.Type else {
      return child.answer(
        CheckAnswer(violations: [
          "the child process does not know the check that its parent asked it to make; link it into the executable itself"
        ]))
    }
    try child.confine(to: check.disk)
    let subject = CheckSubject(subject, in: child)
    do {
      try check.steps[step](subject)
    } catch {
      subject.violate("unexpected error: \(error)")
    }
    child.answer(CheckAnswer(violations: subject.violations))
  }
}
