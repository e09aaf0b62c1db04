import StorageContract

/// The calls of a history without a fault: what faults can be put into.
struct Rehearsal {
  /// One call that can be hit.
  struct Point {
    var place: SavePlace
    /// Its number within the place, from 1, as a ``FaultPlan`` counts.
    var number: Int
    var call: LoggedCall
    /// By how many bytes it makes a file longer.
    var growth: Int
    /// Whether it needs more room on the disk.
    var needsRoom: Bool
  }

  /// The saves that were made.
  let saves: [Int]
  let points: [Point]
  /// How long it took from the first to the last call, in nanoseconds.
  let duration: Int
  /// Whether a file was mapped to be written through, other than those that are made anew: what it holds is in no call.
  let mapsFiles: Bool
  /// The settings in force.
  let settings: String

  /// Numbers the calls of a process that nothing happened to.
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
        // What a mapping has written is in no call: then lengths are not known.
        try? files.apply(call)
      }
    }
    self.points = points
  }

  /// Points in an order drawn by the seed.
  func drawn(_ random: inout SeededRandom, where isEligible: (Point) -> Bool) -> [Point] {
    points.filter(isEligible).shuffled(using: &random)
  }

  /// The point at a place, if there is one.
  func point(_ place: SavePlace, _ number: Int) -> Point? {
    points.first { $0.place == place && $0.number == number }
  }
}
