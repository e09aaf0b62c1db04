import Foundation
import StorageContract
import StorageRunFiles
import StorageWorkloads

/// A request to a child process, such as to measure a store, passed as one JSON argument.
package struct TrialRequest: Codable, Sendable {
  /// The command-line argument that marks a child process.
  package static let argument = "__trial"

  package enum Task: String, Codable, Sendable {
    /// The task to build the initial store, of which each trial gets a copy.
    case fixture
    case timed
    case cost
    /// The task to run a fixed number of operations without timing, verify the store, and hash the content.
    case once
    /// The task to verify the store of a finished process that has counted system calls.
    case verify
    case trace
    case launch
    /// The task of a second process: to save into a store that another process is measuring.
    case partner

    package var isLimited: Bool { self == .timed || self == .cost || self == .once || self == .trace }

    package var isTimed: Bool { self == .timed || self == .launch }
  }

  package var task: Task
  package var cell: Cell
  package var seed: UInt64
  /// The seed of the random choices in the operations. Nil means ``seed``, the seed of the records.
  package var stream: UInt64?
  /// The durability of a store that the workload only reads. Nil means the default settings of the backend.
  package var readDurability: Durability?
  package var payload: String
  package var dataset: String?
  package var datasetMap: [String]?
  package var directory: String
  /// The path of the initial store, of which the process uses a copy. Nil if the workload starts with an empty store.
  package var fixture: String?
  /// The target for the sum of the durations of all timed operations, in nanoseconds.
  package var trialTime: Int64
  /// The target duration of a normal trial, in nanoseconds. The warm-up takes at most a quarter of this time, even if
  /// ``trialTime`` is longer. Nil means ``trialTime``.
  package var usualTrialTime: Int64?
  package var rate: Double?
  /// The maximum duration of the first timed operation, in nanoseconds. After a longer first operation, no other
  /// operation is timed. Nil means no limit.
  package var onceLimit: Int64?
  /// Whether operations are known to be so slow that the trial runs without a warm-up.
  package var isSlow = false
  /// The share by which a self-test of the suite slows operations down, such as 0.2 for 20 %. Nil without a self-test.
  package var slowdown: Double?
  /// Whether the process waits for a signal from its parent before it begins timing. Nil means no.
  package var hasTurn: Bool?
  package var operations: Int?
  /// The records that a process with the task ``Task/launch`` must read, for example `screen`, the 20 newest records.
  package var goal: LaunchGoal?
  package var keys: ClosedRange<Int64>?
  package var partner: SecondProcessOrder?
  /// Whether the child process reports the SQL statements of each operation. Nil means no. Only for the task
  /// ``Task/trace``.
  package var recordsSQL: Bool?
  /// The time in seconds after which the child process ends itself, unless ``parent`` is set.
  package var lifetime = 0
  /// The id of the parent process. The child process ends with its parent, or after ``lifetime`` if the id is nil.
  package var parent: Int32?

  /// The file in which the kernel counts writes to the store's block device, such as `/sys/class/block/loop0/stat`. Nil
  /// if other processes may write to the device.
  package var deviceCounter: String?

  /// The Linux control group in which the child process runs. Nil means the control group of its parent.
  package var group: Group?

  /// The two files of a Linux control group. A process joins by writing to `processes`, and leaves by writing to
  /// `outside`.
  package struct Group: Codable, Sendable {
    package var processes: String
    package var outside: String

    package init(processes: String, outside: String) { (self.processes, self.outside) = (processes, outside) }
  }

  package init(
    task: Task, cell: Cell, seed: UInt64, readDurability: Durability? = nil, payload: String, dataset: String? = nil,
    datasetMap: [String]? = nil, directory: String, trialTime: Int64, rate: Double? = nil, onceLimit: Int64? = nil,
    slowdown: Double? = nil
  ) {
    (self.task, self.cell, self.seed, self.readDurability) = (task, cell, seed, readDurability)
    (self.payload, self.dataset, self.datasetMap) = (payload, dataset, datasetMap)
    (self.directory, self.trialTime) = (directory, trialTime)
    (self.rate, self.onceLimit, self.slowdown) = (rate, onceLimit, slowdown)
  }

  package var operationSeed: UInt64 { stream ?? seed }
  package var durability: Durability { cell.durability ?? readDurability ?? .shipped }
  package var store: String { "\(directory)/\(Self.storeName)" }
  /// The path of an empty file by which a process with a memory limit shows that it has opened the store.
  package var opened: String { "\(directory)/opened" }
  package static let storeName = "store"
  /// The path of the log file for system calls, outside ``directory``. Only for the task ``Task/trace``.
  package var log: String { directory + ".calls" }
  package var temporary: String { "\(directory)/tmp" }

  package func arguments() throws -> [String] {
    [Self.argument, String(decoding: try JSONEncoder().encode(self), as: UTF8.self)]
  }

  /// The environment variables of the child process, which keep files in the trial's directory and make hashing
  /// deterministic.
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

/// The answer of a child process to a request, printed as one line of JSON.
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
  /// The time at which an app's launch was complete, in nanoseconds of CLOCK_MONOTONIC. Only for
  /// ``TrialRequest/Task/launch``.
  package var reached: Int64?
  /// The processor time of an app's launch, in nanoseconds. Only for ``TrialRequest/Task/launch``; nil from older
  /// builds.
  package var processorTime: Int64?
  /// The time that an app's launch waited for a processor, in nanoseconds. Only for ``TrialRequest/Task/launch``; nil
  /// from older builds.
  package var waited: Int64?
  package var readDigest: UInt64?
  package var partner: SharingTally?
  /// Whether the child process is a debug build, whose times are meaningless. Nil in answers of older builds.
  package var isDebug: Bool?
  /// Whether the child process supports ``TrialRequest/stream``, a separate seed for the operations. Nil (older builds)
  /// means no.
  package var knowsStreams: Bool?
  /// The time from the start of the set-up until the store was open, in nanoseconds. Only for
  /// ``TrialRequest/Task/timed``.
  package var opening: Int64?
  /// The time at which the store was open, in nanoseconds of CLOCK_MONOTONIC. Only for ``TrialRequest/Task/timed``; nil
  /// from older builds.
  package var opened: Int64?
  package var spans: [ClosedRange<Int64>]?
  /// The SQL statements of each operation, one array per operation. Only for ``TrialRequest/Task/trace`` with
  /// ``TrialRequest/recordsSQL``.
  package var statements: [[String]]?

  package func error(_ where: String) -> StoreError? {
    guard let failure else { return nil }
    guard isFullDisk == true else { return .failed("\(`where`): \(failure)") }
    // The description of the kind of error must come first in the sentence, and only once.
    let words = StoreError.full("").description
    return .full("\(`where`): \(failure.hasPrefix(words) ? String(failure.dropFirst(words.count)) : failure)")
  }
}
