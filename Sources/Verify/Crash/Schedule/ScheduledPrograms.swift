import CStorageInstrument
import StorageContract

/// The steps of two processes that use one store. As text, `CS+S` is a checkpoint and a save by process 1, and a save
/// by process 2.
struct ScheduledPrograms: Hashable, CustomStringConvertible {
  enum Step: Character {
    case save = "S"
    case read = "R"
    case checkpoint = "C"
    case reopen = "O"

    var words: String {
      switch self {
      case .save: "save"
      case .read: "read of all records"
      case .checkpoint: "checkpoint"
      case .reopen: "closing and opening"
      }
    }
  }

  /// The maximum number of steps, such as saves, that one process makes in a random test case.
  private static let drawnSteps = 4
  static let mostSteps = 15
  /// The kinds of steps to draw from. A kind that is listed more often, such as a save, is drawn more often.
  private static let drawn: [Step] = [.save, .save, .save, .save, .checkpoint, .checkpoint, .read, .reopen]

  let steps: [[Step]]

  init(_ steps: [[Step]]) { self.steps = steps }

  init(_ random: inout SeededRandom) {
    steps = (0..<2).map { _ in
      (0..<random.number(1...Self.drawnSteps)).map { _ in Self.drawn[random.number(0...Self.drawn.count - 1)] }
    }
  }

  init(_ crashCase: CrashCase) throws {
    let parts = crashCase["programs"]?.split(separator: "+", omittingEmptySubsequences: false) ?? []
    steps = parts.map { $0.compactMap(Step.init) }
    guard steps.count == 2, description == crashCase["programs"], steps.allSatisfy({ $0.count <= Self.mostSteps })
    else {
      throw UsageError(
        "case '\(crashCase)' needs programs= with the steps of two processes, at most \(Self.mostSteps) each, such as "
          + "programs=CS+S; a step is S (save), R (read), C (checkpoint) or O (closing and opening); "
          + "copy the case from a report")
    }
  }

  var description: String { steps.map { String($0.map(\.rawValue)) }.joined(separator: "+") }

  var hasSave: Bool { steps.contains { $0.contains(.save) } }

  /// All versions of these programs with one step removed, except versions without any save.
  var shorter: [ScheduledPrograms] {
    steps.indices.flatMap { process in
      steps[process].indices.map { index in
        var fewer = steps
        fewer[process].remove(at: index)
        return ScheduledPrograms(fewer)
      }
    }.filter(\.hasSave)
  }
}

/// The order in which two processes use a store. With `first` 0 and `lengths` [5, 3], process 0 makes 5 calls or memory
/// accesses, process 1 makes 3, then process 0 continues.
struct SchedulePlan: Hashable {
  private static let mostPoints = 60_000

  var first: Int
  var lengths: [Int]
  /// The event while two processes use the store, such as a kill of the first process. By default, no event occurs: the
  /// first process waits for its next turn.
  var event = Event.waits
  /// The disk state (files left by a power cut) to inspect; nil for all disk states that the power cut may leave.
  var cut: NamedCut?

  /// An event while two processes use a store, such as a kill of one process. The raw value is part of a crash-test
  /// case's name: `schedule:killed`.
  enum Event: String, CaseIterable {
    case waits = ""
    case killed
    /// A suspension: the process continues only after the other process has ended, as after SIGSTOP and SIGCONT.
    case suspended
    /// A power cut. New processes open the store in the disk states that a power cut at any time may have left.
    case cut

    var ci: ci_switch {
      switch self {
      case .waits, .cut: CI_SWITCH_WAITS
      case .killed: CI_SWITCH_KILLS
      case .suspended: CI_SWITCH_SUSPENDS
      }
    }
  }
}

extension SchedulePlan {
  /// Reads the plan from a crash-test case. `first=1:points=5` means: process 2 begins after 5 calls of process 1. Nil
  /// if `points` is missing. Throws `UsageError` if the plan is invalid.
  init?(_ crashCase: CrashCase) throws {
    event = try Self.event(crashCase)
    guard let text = crashCase["points"] else { return nil }
    let numbers = text.split(separator: "+").map { Int($0) ?? -1 }
    first = try crashCase.number("first") - 1
    lengths = numbers
    cut = try event == .cut && crashCase["cut"] != nil ? NamedCut(crashCase) : nil
    guard [0, 1].contains(first), numbers.count <= 16, numbers.allSatisfy({ (0...Self.mostPoints).contains($0) }) else {
      throw UsageError("case '\(crashCase)' needs first=1 or first=2 and points=NUMBER; copy the case from a report")
    }
  }

  static func event(_ crashCase: CrashCase) throws -> Event { try crashCase.kind("kind", of: "fault schedule") }

  func crashCase(_ programs: ScheduledPrograms) -> CrashCase {
    let crashCase = CrashCase(ScheduleFault.id, event.rawValue).with("programs", programs).with("first", first + 1)
      .with("points", lengths.map(String.init).joined(separator: "+"))
    return cut?.added(to: crashCase) ?? crashCase
  }
}
