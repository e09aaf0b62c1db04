import Foundation
import StorageContract
import StorageRunFiles
import StorageWorkloads

/// The request to a child process to measure, build or verify a store, passed as one JSON argument.
package struct TrialRequest: Codable, Sendable {
  /// The first argument of a child process. No command of the program has this name.
  package static let argument = "__trial"

  package enum Task: String, Codable, Sendable {
    /// The child process builds the initial store, which measuring processes copy.
    case fixture
    case timed
    case cost
    /// The child process runs the operations after which the store's content is hashed, and verifies the store. Nothing
    /// is timed or counted.
    case once
    /// The child process verifies the store that a process with the task `cost` left, from the files alone.
    case verify
    /// The child process runs the first operations and writes all of their system calls to a log.
    case trace
    case launch
    /// The child process saves into the store of another process, which is measuring, and reports its observations.
    case partner

    package var isLimited: Bool { self == .timed || self == .cost || self == .once || self == .trace }

    package var isTimed: Bool { self == .timed || self == .launch }
  }

  package var task: Task
  package var cell: Cell
  package var seed: UInt64
  /// The seed of the stream of operations; nil if it is the same as ``seed``. The records always depend on ``seed``.
  package var stream: UInt64?
  /// The durability setting with which a workload that only reads opens its store; nil for the backend's default.
  package var readDurability: Durability?
  package var payload: String
  package var dataset: String?
  package var datasetMap: [String]?
  package var directory: String
  /// The path of the initial store, from which a process can restore its own store; nil if the workload starts with an
  /// empty store.
  package var fixture: String?
  /// The target for the total duration of the timed operations, in nanoseconds.
  package var trialTime: Int64
  /// The usual target duration, in nanoseconds, if ``trialTime`` is longer than usual; otherwise nil. The length of the
  /// warm-up depends on the usual duration.
  package var usualTrialTime: Int64?
  package var rate: Double?
  /// For ``Task/timed``: the nanoseconds beyond which an operation is not repeated, see ``MeasuringLoop/onceLimit``.
  package var onceLimit: Int64?
  /// Whether operations are known to be so slow that only one is timed, without a warm-up.
  package var isSlow = false
  /// The share by which a self-test makes every operation longer; nil without a self-test.
  package var slowdown: Double?
  /// For ``Task/timed``: whether the process must wait for its turn, which is a signal to start its clock: see
  /// ``ClockGate``. Nil means that it starts the clock at once.
  package var hasTurn: Bool?
  /// For ``Task/timed``: the directory of stores that earlier processes made by the same saves and verified. Each store
  /// is named by its number of operations. Nil if there are none.
  package var verified: String?
  package var operations: Int?
  /// For ``Task/launch``: the reads that complete the launch of an app, which begins with the start of the process. The
  /// keys to read are in ``keys``.
  package var goal: LaunchGoal?
  package var keys: ClosedRange<Int64>?
  package var partner: SecondProcessOrder?
  /// For ``Task/trace``: the path of the log of system calls, outside ``directory``.
  package var log: String?
  /// For ``Task/trace``: whether the answer has the SQL statements of each operation; nil means that it does not.
  package var recordsSQL: Bool?
  /// The seconds after which the process ends itself, in case its parent process is gone.
  package var lifetime = 0
  /// The id of the parent process, for tasks of unpredictable duration. The child process ends when its parent ends. If
  /// it is nil, ``lifetime`` ends the child process instead.
  package var parent: Int32?

  /// For ``Task/cost``: the file in which the kernel counts the writes of the store's block device; nil if other
  /// processes write to that device, too.
  package var deviceCounter: String?

  /// The control group in which the process works; nil for the control group of its parent.
  package var group: Group?

  /// The files to which a process writes to join a control group and to leave it again.
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

  package var operationSeed: UInt64 { stream ?? seed }
  package var durability: Durability { cell.durability ?? readDurability ?? .shipped }
  package var store: String { "\(directory)/\(Self.storeName)" }
  /// The path of the file that a process with a memory limit creates when it has opened the store.
  package var opened: String { "\(directory)/opened" }
  package static let storeName = "store"
  package var temporary: String { "\(directory)/tmp" }

  package func arguments() throws -> [String] {
    [Self.argument, String(decoding: try JSONEncoder().encode(self), as: UTF8.self)]
  }

  /// The environment variables of the child process. They keep stores below the trial's directory, make hashing
  /// deterministic, and turn off the backtrace of a crash, which would take a second.
  package var environment: [String: String] {
    var variables = [
      "SWIFT_DETERMINISTIC_HASHING": "1",
      "SWIFT_BACKTRACE": "enable=no",
      "XDG_CONFIG_HOME": store,
      "TMPDIR": temporary,
      "CFFIXED_USER_HOME": temporary,
    ]
    // C code of the suite reads this variable before main, and joins the control group.
    variables["CI_MEMORY_GROUP"] = group?.processes
    return variables
  }
}

/// The answer of a child process, printed as one line of JSON.
package struct TrialResponse: Codable, Sendable, Equatable {
  package var failure: String?
  package var isFullDisk: Bool?
  package var note: String?
  package var settings: String?
  package var streamHash: String?
  package var timing: Timing?
  package var cost: Cost?
  package var findings: [Finding]?
  package var operations: Int?
  /// For ``TrialRequest/Task/timed``: whether the store's files equal a store that an earlier process verified, so that
  /// no further verification was needed; otherwise nil.
  package var isSame: Bool?
  /// For ``TrialRequest/Task/launch``: the time at which the launch was complete, in nanoseconds of CLOCK_MONOTONIC.
  package var reached: Int64?
  /// For ``TrialRequest/Task/launch``: nanoseconds of processor time from the start of the process to the end of the
  /// launch; nil from builds that do not report it.
  package var processorTime: Int64?
  /// For ``TrialRequest/Task/launch``: nanoseconds that the process waited for a processor during the launch; nil from
  /// builds that do not report it.
  package var waited: Int64?
  package var readDigest: UInt64?
  package var partner: SecondProcessReport?
  /// Whether the process is a debug build, whose times are meaningless; nil from builds that do not report it.
  package var isDebug: Bool?
  /// Whether the build of the process accepts a separate seed for the stream of operations, ``TrialRequest/stream``;
  /// nil from builds that do not.
  package var knowsStreams: Bool?
  /// For ``TrialRequest/Task/timed``: the nanoseconds from the start of the workload's set-up until the store was open.
  package var opening: Int64?
  /// The time at which the store was open, in nanoseconds of CLOCK_MONOTONIC; nil from builds that do not report it.
  package var opened: Int64?
  package var spans: [ClosedRange<Int64>]?
  /// For ``TrialRequest/Task/trace``: the texts of the SQL statements of each operation, if they were requested.
  package var statements: [[String]]?

  package init() {}

  package func error(_ where: String) -> StoreError? {
    guard let failure else { return nil }
    guard isFullDisk == true else { return .failed("\(`where`): \(failure)") }
    // The description of the kind of error must come first in the sentence, and only once.
    let words = StoreError.full("").description
    return .full("\(`where`): \(failure.hasPrefix(words) ? String(failure.dropFirst(words.count)) : failure)")
  }
}
