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

  /// The opening, each save and the closing, in order. A process that ends early reaches only the first ones.
  var positions: [SavePosition] { [.opening] + saves.map(SavePosition.save) + [.closing] }
  var steps: [(position: SavePosition, calls: [LoggedCall])] {
    zip(positions, log.steps).map { ($0, Array($1)) }
  }

  private var marks: [LoggedCall] { log.calls.filter { $0.kind == .acknowledge } }
}
