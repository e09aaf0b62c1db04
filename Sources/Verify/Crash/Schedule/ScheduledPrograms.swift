import StorageContract

/// The programs of two processes that use one store, such as `CCS+S`: two checkpoints and a save beside one save.
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

  /// The maximum number of steps of a drawn program. A case of a user may have up to ``mostSteps``.
  private static let drawnSteps = 4
  static let mostSteps = 15
  /// Each step as often as it is drawn.
  private static let drawn: [Step] = [.save, .save, .save, .save, .checkpoint, .checkpoint, .read, .reopen]

  /// The steps of each of the two processes.
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

  /// The programs with one step less.
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

/// The order in which two processes run: the process that begins, and the numbers of points before the switches.
///
/// A process that ends, or that waits for the other one, also hands its turn over.
struct SchedulePlan: Hashable {
  private static let mostPoints = 60_000

  var first: Int
  var lengths: [Int]
  /// Whether the first process is killed at the first switch.
  var kills = false

  /// The kind of the cases in which one process is killed.
  static let killed = "killed"

  /// The plan of a case; nil if the case stands for all plans of its programs.
  init?(_ crashCase: CrashCase) throws {
    guard ["", Self.killed].contains(crashCase.kind) else {
      throw UsageError(Nearest.sentence("kind", crashCase.kind, of: "fault schedule", among: [Self.killed]))
    }
    kills = crashCase.kind == Self.killed
    guard let text = crashCase["points"] else { return nil }
    let numbers = text.split(separator: "+").map { Int($0) ?? -1 }
    first = try crashCase.number("first") - 1
    lengths = numbers
    guard [0, 1].contains(first), numbers.count <= 16, numbers.allSatisfy({ (0...Self.mostPoints).contains($0) }) else {
      throw UsageError("case '\(crashCase)' needs first=1 or first=2 and points=NUMBER; copy the case from a report")
    }
  }

  init(first: Int, lengths: [Int], kills: Bool = false) {
    (self.first, self.lengths, self.kills) = (first, lengths, kills)
  }

  func crashCase(_ programs: ScheduledPrograms) -> CrashCase {
    CrashCase(ScheduleFault.id, kills ? Self.killed : "").with("programs", programs).with("first", first + 1)
      .with("points", lengths.map(String.init).joined(separator: "+"))
  }
}
