import StorageContract

/// The outcome of a process that was started to make saves.
struct SavingOutcome {
  let directory: String
  let store: String
  let fault: PlannedFault?
  let saves: [Int]
  let ending: String
  /// The reason why the process could not begin, such as a test file system that cannot be mounted; nil if it began.
  let obstacle: String?
  /// Whether the saving process crashed or hung. A kill that the fault injects does not count as a crash.
  var isCrash: Bool { answer == nil && obstacle == nil && !isKilled }
  let isKilled: Bool
  let answer: SavingAnswer?
  let log: CallLog

  var isOpened: Bool { !marks.isEmpty }
  var acknowledged: [Int] { zip(saves, marks.dropFirst()).filter(\.1.acknowledges).map(\.0) }
  var failed: [Int] { zip(saves, marks.dropFirst()).filter { !$0.1.acknowledges }.map(\.0) }
  var inFlight: Int? {
    guard answer == nil, isOpened, marks.count - 1 < saves.count else { return nil }
    return saves[marks.count - 1]
  }

  var steps: [(position: SavePosition, calls: [LoggedCall])] {
    log.steps.enumerated().map { index, calls in
      let position: SavePosition =
        index == 0 ? .opening : index - 1 < saves.count ? .save(saves[index - 1]) : .closing
      return (position, Array(calls))
    }
  }

  private var marks: [LoggedCall] { log.calls.filter { $0.kind == .acknowledge } }
}
