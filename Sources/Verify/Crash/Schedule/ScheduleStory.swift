import CStorageInstrument

/// A description of the order in which two processes used a store, as lines of text with one column for each process.
struct ScheduleStory {
  let points: UnsafeBufferPointer<ci_point>
  let programs: ScheduledPrograms

  private static let width = 56
  /// The maximum number of calls and memory accesses that are shown before and after each switch between the processes.
  private static let shown = 5

  var lines: [String] {
    var steps = [-1, -1]
    var parts: [(process: Int, title: String, points: [ci_point])] = []
    for point in points {
      let process = Int(point.process)
      if process != parts.last?.process {
        parts.append((process, parts.isEmpty ? "" : "\(title(process, steps[process])), continued", []))
      }
      if point.call == CI_CALL_MARK.rawValue {
        if parts.last?.points.isEmpty == true { parts.removeLast() }
        steps[process] = Int(point.result)
        parts.append((process, title(process, steps[process]), []))
      } else {
        parts[parts.count - 1].points.append(point)
      }
    }
    let lines = parts.indices.flatMap { index in
      let part = parts[index]
      let isBeforeSwitch = index + 1 < parts.count && parts[index + 1].process != part.process
      let calls = Self.some(part.points, first: part.title.hasSuffix("continued"), last: isBeforeSwitch)
      return ([part.title] + calls.map { "  " + $0 }).map { part.process == 0 ? Self.line($0) : Self.line("", $0) }
    }
    return [Self.line("process 1", "process 2")] + lines
  }

  private func title(_ process: Int, _ step: Int) -> String {
    let steps = programs.steps[process]
    if step < 0 { return "opening" }
    if step >= steps.count { return "closing" }
    let same = steps.prefix(step + 1).count { $0 == steps[step] }
    return steps.count { $0 == steps[step] } > 1 ? "\(steps[step].words) \(same)" : steps[step].words
  }

  /// Returns one line for each of the first 5 calls (if `first`) and the last 5 calls (if `last`) of `points`, and one
  /// line with the number of all other calls.
  private static func some(_ points: [ci_point], first: Bool, last: Bool) -> [String] {
    let head = first ? points.prefix(shown) : []
    let tail = last ? points.dropFirst(head.count).suffix(shown) : []
    let others = points.count - head.count - tail.count
    return head.map(words) + (others > 0 ? ["... \(others) calls and accesses"] : []) + tail.map(words)
  }

  private static func line(_ left: String, _ right: String = "") -> String {
    let padded = left + String(repeating: " ", count: max(0, width - left.count))
    return right.isEmpty ? left : "\(padded)| \(right)"
  }

  private static func words(_ point: ci_point) -> String {
    let file = withUnsafeBytes(of: point.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let range = point.offset == 0 && point.length > 1 << 40 ? "" : " at \(point.offset)"
    let failure = point.result < 0 ? ", fails with error \(-point.result)" : ""
    switch ci_call(rawValue: point.call) {
    case CI_CALL_LOAD: return "reads \(point.result) in \(file)\(range)"
    case CI_CALL_STORE: return "stores \(point.result) in \(file)\(range)"
    case CI_CALL_LOCK: return "locks \(file)\(range)\(point.result < 0 ? ", which is locked" : "")"
    case CI_CALL_LOCK_SHARED: return "locks \(file)\(range) to read\(point.result < 0 ? ", which is locked" : "")"
    case CI_CALL_UNLOCK: return "unlocks \(file)\(range)"
    case CI_CALL_WAIT: return "waits for the other process"
    case CI_CALL_READ: return "reads \(point.length) bytes of \(file)\(range)\(failure)"
    case CI_CALL_WRITE: return "writes \(point.length) bytes to \(file)\(range)\(failure)"
    default:
      let kind = LoggedCall.Kind.allCases.first { $0.bit == point.call }?.rawValue ?? "call"
      return "\(kind) of \(file)\(failure)"
    }
  }
}
