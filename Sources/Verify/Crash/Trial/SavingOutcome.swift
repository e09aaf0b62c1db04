import StorageContract

/// What became of a process that was to make saves.
struct SavingOutcome {
  /// Where it worked.
  let directory: String
  /// Where its store is.
  let store: String
  let fault: PlannedFault?
  let saves: [Int]
  /// How it ended, as a sentence.
  let ending: String
  /// Whether it ended in a way that it should not.
  let isCrash: Bool
  /// Whether it ended by the signal that it was to be killed by.
  let isKilled: Bool
  /// What it told; nil if it was killed or crashed.
  let answer: SavingAnswer?
  let log: CallLog

  /// Whether the store was opened.
  var isOpened: Bool { !marks.isEmpty }
  /// The saves that were acknowledged.
  var acknowledged: [Int] { zip(saves, marks.dropFirst()).filter(\.1.acknowledges).map(\.0) }
  /// The saves that threw.
  var failed: [Int] { zip(saves, marks.dropFirst()).filter { !$0.1.acknowledges }.map(\.0) }
  /// The save during which the process ended.
  var inFlight: Int? {
    guard answer == nil, isOpened, marks.count - 1 < saves.count else { return nil }
    return saves[marks.count - 1]
  }

  /// The calls by the places in which they were made.
  var steps: [(place: SavePlace, calls: [LoggedCall])] {
    log.steps.enumerated().map { index, calls in
      let place: SavePlace =
        index == 0 ? .opening : index - 1 < saves.count ? .save(saves[index - 1]) : .closing
      return (place, Array(calls))
    }
  }

  /// The call that the plan has hit, with its place; nil if it was not made, or none was hit.
  var hit: (place: SavePlace, call: LoggedCall)? {
    for (place, calls) in steps { if let call = calls.first(where: \.isFault) { return (place, call) } }
    return nil
  }

  private var marks: [LoggedCall] { log.calls.filter { $0.kind == .acknowledge } }
}
