import StorageContract

/// A run of all saves without a fault. Its log lists the system calls that a fault can hit.
struct Rehearsal {
  /// One system call at which a crash test can inject a fault, such as a kill.
  struct Point {
    var position: SavePosition
    /// The number of the call within its save, opening or closing, from 1. System calls that no fault can hit have no
    /// number.
    var number: Int
    var call: LoggedCall
    var growth: Int
    var needsRoom: Bool

    func crashCase(_ fault: String, _ kind: String = "") -> CrashCase {
      CrashCase(fault, kind).with("save", position).with("call", number)
    }
  }

  let saves: [Int]
  let points: [Point]
  /// The time from the first to the last logged system call of the run (opening, saves and closing), in nanoseconds.
  let duration: Int
  /// Whether the engine maps files with records into memory for writing. The log of system calls does not contain such
  /// writes.
  let mapsFiles: Bool
  let settings: String
  /// The number of memory allocations by the engine's library in the opening, in each save and in the closing. Empty if
  /// the engine is not a C library.
  let allocations: [(position: SavePosition, count: Int)]

  init(_ outcome: SavingOutcome) throws {
    allocations = zip(outcome.positions, outcome.answer?.allocations ?? []).map { ($0, $1) }
    saves = outcome.saves
    settings = outcome.answer?.settings ?? ""
    mapsFiles = outcome.log.calls.contains { $0.kind == .map && !DiskLog.isRebuilt($0.name) }
    let times = outcome.log.calls.map(\.began)
    duration = Int((times.max() ?? 0) - (times.min() ?? 0))
    var files = ReplayedFiles()
    var points: [Point] = []
    for (position, calls) in outcome.steps {
      for (index, call) in calls.filter(PlannedFault.counts).enumerated() {
        let length = files.contents[call.file]?.count ?? 0
        let more = call.kind == .write ? max(0, Int(call.offset + call.length) - length) : 0
        let makes = [.create, .makeDirectory, .allocate].contains(call.kind)
        points.append(
          Point(position: position, number: index + 1, call: call, growth: more, needsRoom: makes || more > 0))
        // Errors are ignored, because writes through a mapping are not logged and the length of a mapped file is
        // unknown.
        try? files.apply(call)
      }
    }
    self.points = points
  }

  func drawn(_ random: inout SeededRandom, where isEligible: (Point) -> Bool) -> [Point] {
    points.filter(isEligible).shuffled(using: &random)
  }
}
