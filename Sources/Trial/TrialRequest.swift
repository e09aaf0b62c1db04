import Foundation
import StorageContract
import StorageRunFiles
import StorageWorkloads

/// What a child process is asked to do: one JSON argument.
package struct TrialRequest: Codable, Sendable {
  /// The first argument of a child process; no command of the command line has this name.
  package static let argument = "__trial"

  /// What is to be done.
  package enum Task: String, Codable, Sendable {
    /// Build the store that trials start from.
    case fixture
    /// Time operations, then verify.
    case timed
    /// Count a fixed number of operations, then settle and close.
    case cost
    /// Do the digested operations and verify; nothing is timed or counted.
    case once
    /// Open the store that a cost pass left, in a process that cannot remember it, and verify.
    case verify
    /// Do the first operations, every call of theirs in a log.
    case trace
    /// Open, read, tell when: what a launch workload starts.
    case launch
    /// Save into the store of a trial that is under way, and tell what was met.
    case partner

    /// Whether the process is the one that a cell's limit of memory is about: those that build and verify stores have
    /// what they need.
    package var isLimited: Bool { self == .timed || self == .cost || self == .once || self == .trace }

    /// Whether a clock decides when the process stops: all others take as long as the disk lets them.
    package var isTimed: Bool { self == .timed || self == .launch }
  }

  package var task: Task
  package var cell: Cell
  /// The seed of the records, and of the operations unless ``stream`` is another one.
  package var seed: UInt64
  /// The seed of the operations; nil for ``seed``.
  package var stream: UInt64?
  /// In whose settings a cell that only reads opens its store; nil for what is shipped.
  package var readDurability: Durability?
  package var payload: String
  package var dataset: String?
  package var datasetMap: [String]?
  /// The trial's directory; the store lies in ``store``, temporary files beside it.
  package var directory: String
  /// Where a pristine copy of the store lies, for ``Task/verify``, or nil where the workload starts empty.
  package var fixture: String?
  /// Nanoseconds that the timed part aims at.
  package var trialTime: Int64
  package var rate: Double?
  /// For ``Task/timed``: nanoseconds beyond which an operation is not repeated, see ``MeasuringLoop/onceLimit``.
  package var onceLimit: Int64?
  /// Whether an operation is known to take so long that one is enough: doing another first would double the wait.
  package var isSlow = false
  /// By how much of its own time every operation is to be made longer, or nil: see ``MeasuringLoop/slowdown``.
  package var slowdown: Double?
  /// For ``Task/timed``: whether the process waits for its turn, see ``ClockGate``.
  package var hasTurn: Bool?
  /// For ``Task/timed``: where stores lie that were verified after so many operations as their names say, or nil; see
  /// ``VerifiedStores``.
  package var verified: String?
  /// For ``Task/verify``: how many operations the store has seen.
  package var operations: Int?
  /// For ``Task/launch``: what to reach, with which keys.
  package var goal: LaunchGoal?
  package var keys: ClosedRange<Int64>?
  /// For ``Task/partner``: what to do.
  package var partner: SecondProcessOrder?
  /// For ``Task/trace``: where the log of calls goes, outside of ``directory``.
  package var log: String?
  /// Seconds after which the process ends itself, should its parent be gone. The launcher sets it.
  package var lifetime = 0
  /// The process that waits for the answer, where that may take longer than anybody can say: this one then ends with
  /// it, and ``lifetime`` is for builds that do not know better. The launcher sets it.
  package var parent: Int32?

  /// The control group that the process works in, or nil for its parent's.
  package var group: Group?

  /// How a process joins a control group and leaves it again: by writing to these files.
  package struct Group: Codable, Sendable {
    package var processes: String
    package var outside: String

    package init(processes: String, outside: String) { (self.processes, self.outside) = (processes, outside) }
  }

  package init(
    task: Task, cell: Cell, seed: UInt64, readDurability: Durability? = nil, payload: String, dataset: String? = nil,
    datasetMap: [String]? = nil, directory: String, trialTime: Int64, rate: Double? = nil, onceLimit: Int64? = nil,
    isSlow: Bool = false,
    slowdown: Double? = nil
  ) {
    (self.task, self.cell, self.seed, self.readDurability) = (task, cell, seed, readDurability)
    (self.payload, self.dataset, self.datasetMap) = (payload, dataset, datasetMap)
    (self.directory, self.trialTime) = (directory, trialTime)
    (self.rate, self.onceLimit, self.isSlow, self.slowdown) = (rate, onceLimit, isSlow, slowdown)
  }

  /// The seed of the operations.
  package var operationSeed: UInt64 { stream ?? seed }
  /// In whose settings the store is opened.
  package var durability: Durability { cell.durability ?? readDurability ?? .shipped }
  /// The directory of the store.
  package var store: String { "\(directory)/\(Self.storeName)" }
  /// The file by which a process with little memory tells that it has opened the store.
  package var opened: String { "\(directory)/opened" }
  /// The name of that directory in the trial's.
  package static let storeName = "store"
  /// The directory for temporary files.
  package var temporary: String { "\(directory)/tmp" }

  /// The arguments of the child process.
  package func arguments() throws -> [String] {
    [Self.argument, String(decoding: try JSONEncoder().encode(self), as: UTF8.self)]
  }

  /// The environment of the child process: stores stay below the trial's directory, hashing repeats itself, and a
  /// crash does not spend a second printing a backtrace.
  package var environment: [String: String] {
    var variables = [
      "SWIFT_DETERMINISTIC_HASHING": "1",
      "SWIFT_BACKTRACE": "enable=no",
      "XDG_CONFIG_HOME": store,
      "TMPDIR": temporary,
      "CFFIXED_USER_HOME": temporary,
    ]
    // Read by CInstrument before main.
    variables["CI_MEMORY_GROUP"] = group?.processes
    return variables
  }
}

/// What a child process answers: one line of JSON.
package struct TrialResponse: Codable, Sendable, Equatable {
  /// What went wrong, in one sentence, or nil.
  package var failure: String?
  /// Whether the store said that the disk is full; nil if it did not.
  package var isFullDisk: Bool?
  /// What is remarkable about a trial that is ok, or nil.
  package var note: String?
  package var settings: String?
  package var streamHash: String?
  package var timing: Timing?
  package var cost: Cost?
  /// What the workload found out besides; nil where it is nothing.
  package var findings: [Finding]?
  /// Operations that the store has seen.
  package var operations: Int?
  /// For ``TrialRequest/Task/timed``: whether the store was the same as one in ``TrialRequest/verified``.
  package var isSame: Bool?
  /// For ``TrialRequest/Task/launch``: when the goal was reached, on the clock that all processes share.
  package var reached: Int64?
  /// For ``TrialRequest/Task/launch``: nanoseconds of processor time from the start of the process to the goal; nil from
  /// builds that do not tell.
  package var processorTime: Int64?
  /// For ``TrialRequest/Task/launch``: nanoseconds that the process waited for a processor up to the goal; nil from
  /// builds that do not tell.
  package var waited: Int64?
  /// For ``TrialRequest/Task/launch``: hash of what was read.
  package var readDigest: UInt64?
  /// For ``TrialRequest/Task/partner``: what was met.
  package var partner: SecondProcessReport?
  /// Whether the process is of a debug build, whose times say nothing; nil from builds that do not tell.
  package var isDebug: Bool?
  /// Whether the build knows ``TrialRequest/stream``; nil from builds that do not tell, and do not.
  package var knowsStreams: Bool?
  /// Nanoseconds from the start of a timed trial's set-up to the open store.
  package var opening: Int64?
  /// When that store was open, on the clock that all processes share; nil from builds that do not tell.
  package var opened: Int64?
  /// For ``TrialRequest/Task/trace``: when each operation began and ended, by the clock of the log.
  package var spans: [ClosedRange<Int64>]?

  package init() {}

  /// The failure as an error, or nil if there is none.
  ///
  /// - Parameter where: The process or step that failed, for the sentence.
  package func error(_ where: String) -> StoreError? {
    guard let failure else { return nil }
    guard isFullDisk == true else { return .failed("\(`where`): \(failure)") }
    // The kind's own words come first, and once.
    let words = StoreError.full("").description
    return .full("\(`where`): \(failure.hasPrefix(words) ? String(failure.dropFirst(words.count)) : failure)")
  }
}
