import CStorageInstrument
import StorageContract

/// The programs of two processes that use one store, each a list of steps. In `CCS+S`, the first process makes two
/// checkpoints and a save, and the second process makes one save.
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

  /// The maximum number of steps of a randomly drawn program. A program that a user writes may have up to
  /// ``mostSteps``.
  private static let drawnSteps = 4
  static let mostSteps = 15
  /// The steps from which programs are drawn. A step that is listed more often is drawn more often.
  private static let drawn: [Step] = [.save, .save, .save, .save, .checkpoint, .checkpoint, .read, .reopen]

  /// The program of each process, a list of steps.
  let steps: [[Step]]

  private init(_ steps: [[Step]]) { self.steps = steps }

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
        "case '\(crashCase)' needs the programs of two processes, of S, R, C and O, as programs=CS+S; copy the case from a report"
      )
    }
  }

  var description: String { steps.map { String($0.map(\.rawValue)) }.joined(separator: "+") }

  var hasSave: Bool { steps.contains { $0.contains(.save) } }

  /// The pairs of programs that result from the removal of one step. Pairs without any save are left out.
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

/// The order in which two processes run: the process that begins, and the number of points that the running process
/// makes before each switch. A point is a call or a memory access at which a process can be made to wait.
///
/// The processes also switch when the running one ends or waits for the other one.
struct SchedulePlan: Hashable {
  private static let mostPoints = 60_000

  var first: Int
  var lengths: [Int]
  /// The effect of the first switch on the process that runs first.
  var event = Event.waits
  /// The disk state to inspect after a schedule with a power cut; nil for all states.
  var cut: NamedCut?

  /// The effect of the first switch of a schedule on the process that runs first. The raw value is the kind in the name
  /// of a case, as in `schedule:killed`.
  enum Event: String, CaseIterable {
    case waits = ""
    case killed
    /// The process continues only after the other one has ended, as after SIGSTOP and SIGCONT.
    case suspended
    /// The process waits. After the schedule, a new process opens the store in the disk states that a power cut at any
    /// time of the schedule may leave.
    case cut

    var ci: ci_switch {
      switch self {
      case .waits, .cut: CI_SWITCH_WAITS
      case .killed: CI_SWITCH_KILLS
      case .suspended: CI_SWITCH_SUSPENDS
      }
    }
  }

  /// Reads the plan of a case. The result is nil if the case has no plan. Such a case means all plans for its programs.
  /// Throws `UsageError` if the plan is invalid.
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

  static func event(_ crashCase: CrashCase) throws -> Event {
    guard let event = Event(rawValue: crashCase.kind) else {
      let kinds = Event.allCases.map(\.rawValue).filter { !$0.isEmpty }
      throw UsageError(Nearest.sentence("kind", crashCase.kind, of: "fault schedule", among: kinds))
    }
    return event
  }

  init(first: Int, lengths: [Int], event: Event = .waits) {
    (self.first, self.lengths, self.event) = (first, lengths, event)
  }

  func crashCase(_ programs: ScheduledPrograms) -> CrashCase {
    let crashCase = CrashCase(ScheduleFault.id, event.rawValue).with("programs", programs).with("first", first + 1)
      .with("points", lengths.map(String.init).joined(separator: "+"))
    return cut?.added(to: crashCase) ?? crashCase
  }
}
