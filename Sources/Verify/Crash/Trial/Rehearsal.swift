import StorageContract

/// The calls of a history without a fault, into which faults can be injected.
struct Rehearsal {
  /// One call that a fault can hit.
  struct Point {
    var place: SavePlace
    /// The number of the call within the position, from 1, as a ``FaultPlan`` counts.
    var number: Int
    var call: LoggedCall
    /// The number of bytes by which the call extends a file.
    var growth: Int
    /// Whether the call needs more room on the disk.
    var needsRoom: Bool

    func crashCase(_ fault: String, _ kind: String = "") -> CrashCase {
      CrashCase(fault, kind).with("save", place).with("call", number)
    }
  }

  let saves: [Int]
  let points: [Point]
  /// The time from the first to the last call, in nanoseconds.
  let duration: Int
  /// Whether a file that is not rebuilt at opening has a shared writable mapping. Writes through it are not logged.
  let mapsFiles: Bool
  let settings: String

  /// Numbers the calls of a process without a fault.
  init(_ outcome: SavingOutcome) throws {
    saves = outcome.saves
    settings = outcome.answer?.settings ?? ""
    mapsFiles = outcome.log.calls.contains { $0.kind == .map && !DiskLog.isRebuilt($0.name) }
    let times = outcome.log.calls.map(\.began)
    duration = Int((times.max() ?? 0) - (times.min() ?? 0))
    var files = ReplayedFiles()
    var points: [Point] = []
    for (place, calls) in outcome.steps {
      for (index, call) in calls.filter(FaultPlan.counts).enumerated() {
        let length = files.contents[call.file]?.count ?? 0
        let more = call.kind == .write ? max(0, Int(call.offset + call.length) - length) : 0
        let makes = [.create, .makeDirectory, .allocate].contains(call.kind)
        points.append(
          Point(place: place, number: index + 1, call: call, growth: more, needsRoom: makes || more > 0))
        // Writes through a mapping are not logged, so the length of a mapped file is unknown.
        try? files.apply(call)
      }
    }
    self.points = points
  }

  /// Returns eligible points in random order.
  func drawn(_ random: inout SeededRandom, where isEligible: (Point) -> Bool) -> [Point] {
    points.filter(isEligible).shuffled(using: &random)
  }

  /// Returns the call with a number at a position of the history, or nil.
  func point(_ place: SavePlace, _ number: Int) -> Point? {
    points.first { $0.place == place && $0.number == number }
  }
}
