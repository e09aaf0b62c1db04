import CStorageInstrument

/// A description of the order in which two processes used a store, as lines of text with one column for each process.
struct ScheduleStory {
  let points: UnsafeBufferPointer<ci_point>
  let programs: ScheduledPrograms

  private static let width = 56
  /// The maximum number of calls and memory accesses that are shown before and after each switch between the processes.
  private static let shown = 5

  var lines: [String] {
    var lines = [Self.line(0, "process 1", "process 2")]
    var index = 0
    var steps = [-1, -1]
    while index < points.count {
      let process = Int(points[index].process)
      let end = points[index...].firstIndex { $0.process != points[index].process } ?? points.count
      let isResumed = index > 0
      var part: [ci_point] = []
      var parts: [(title: String, points: [ci_point])] = []
      var title = isResumed ? "\(self.title(process, steps[process])), continued" : ""
      for point in points[index..<end] {
        if point.call == CI_CALL_MARK.rawValue {
          if !part.isEmpty { parts.append((title, part)) }
          steps[process] = Int(point.result)
          (title, part) = (self.title(process, steps[process]), [])
        } else {
          part.append(point)
        }
      }
      parts.append((title, part))
      for (number, part) in parts.enumerated() {
        let isFirst = number == 0 && isResumed && part.title.hasSuffix("continued")
        let isLast = number == parts.count - 1 && end < points.count
        lines.append(Self.line(process, part.title))
        lines += Self.some(part.points, first: isFirst, last: isLast).map { Self.line(process, "  " + $0) }
      }
      index = end
    }
    return lines
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

  private static func line(_ process: Int, _ text: String, _ other: String? = nil) -> String {
    let left = process == 0 ? text : ""
    let right = process == 0 ? other ?? "" : text
    let padded = left + String(repeating: " ", count: max(0, width - left.count))
    return right.isEmpty ? left : "\(padded)| \(right)"
  }

  private static func words(_ point: ci_point) -> String {
    let file = withUnsafeBytes(of: point.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let range = point.offset == 0 && point.length > 1 << 40 ? "" : " at \(point.offset)"
    let failure = point.result < 0 ? ", fails with error \(-point.result)" : ""
    switch Int(point.call) {
    case Int(CI_CALL_LOAD.rawValue): return "reads \(point.result) in \(file)\(range)"
    case Int(CI_CALL_STORE.rawValue): return "stores \(point.result) in \(file)\(range)"
    case Int(CI_CALL_LOCK.rawValue): return "locks \(file)\(range)\(point.result < 0 ? ", which is locked" : "")"
    case Int(CI_CALL_LOCK_SHARED.rawValue):
      return "locks \(file)\(range) to read\(point.result < 0 ? ", which is locked" : "")"
    case Int(CI_CALL_UNLOCK.rawValue): return "unlocks \(file)\(range)"
    case Int(CI_CALL_WAIT.rawValue): return "waits for the other process"
    case Int(CI_CALL_READ.rawValue): return "reads \(point.length) bytes of \(file)\(range)\(failure)"
    case Int(CI_CALL_WRITE.rawValue): return "writes \(point.length) bytes to \(file)\(range)\(failure)"
    default:
      let kind = LoggedCall.Kind.allCases.first { $0.bit == point.call }?.rawValue ?? "call"
      return "\(kind) of \(file)\(failure)"
    }
  }
}
