import StorageContract

/// A cell of a plan (a combination of backend, workload and settings) and the facts that are known before it runs.
public struct PlannedCell: Sendable, Codable, Equatable {
  /// The combination of backend, workload and settings to measure.
  public var cell: Cell
  /// The durability level at which saves are measured, which says what survives a crash or power cut. Nil for workloads
  /// that only read.
  public var level: Level?
  /// The durability setting with which a workload that only reads opens the store; nil for the backend's default. For a
  /// workload that saves, ``cell`` has the setting instead.
  public var readDurability: Durability?
  /// The origin of the code that performs the operations: the engine, the suite, or an imitation of an engine.
  public var fidelity: Fidelity
  /// The resemblance of an imitation to the imitated system: whether the imitation's figures apply to that system. Nil
  /// if the backend imitates no system, and in older runs.
  public var likeness: Resemblance?
  /// The name and version of the engine, such as `SQLite 3.40.1`.
  public var engineVersion: String
  /// The reason why the combination of backend, workload and settings is not run; nil if it is run.
  public var refusal: Refusal?
  /// The reason why calls and bytes are counted but times are not measured; nil if times are measured.
  public var untimed: String?
  /// Whether the backend's data never leaves the process. Reports then show its times as a lower bound (floor) for
  /// other backends, without a rank.
  public var isFloor: Bool
  /// Whether the backend writes the whole store on every save.
  public var isWholeFile: Bool

  /// Whether the saves of the workload go into a write-ahead log of the backend. Nil means no, also for workloads that
  /// only read.
  public var keepsLog: Bool?

  /// Whether the backend's counts of calls and bytes differ slightly from run to run; nil means no.
  public var countsVary: Bool?

  /// The reason why a planned combination of backend, workload and settings is not run.
  public struct Refusal: Sendable, Codable, Equatable {
    /// The status of the combination that is not run: ``Status/skipped`` or ``Status/notAvailable``.
    public var status: Status
    /// The explanation why the combination is not run, in one sentence.
    public var note: String

    /// Creates the reason why a planned combination is not run.
    public init(status: Status, note: String) {
      self.status = status
      self.note = note
    }
  }

  /// Creates a planned combination of backend, workload and settings.
  public init(
    cell: Cell, level: Level?, fidelity: Fidelity = .native, likeness: Resemblance? = nil, engineVersion: String,
    refusal: Refusal? = nil, isFloor: Bool = false, isWholeFile: Bool = false, countsVary: Bool? = nil
  ) {
    self.cell = cell
    self.level = level
    self.fidelity = fidelity
    self.likeness = likeness
    self.engineVersion = engineVersion
    self.refusal = refusal
    self.isFloor = isFloor
    self.isWholeFile = isWholeFile
    self.countsVary = countsVary
  }
}

/// The origin of the code that performs a backend's operations. Readers need the origin to judge a comparison's
/// fairness.
public enum Fidelity: String, Sendable, Codable, CaseIterable {
  /// The engine itself implements the operations.
  case native
  /// The suite emulates the operations with basic operations of the engine, as an app would.
  case emulated
  /// The backend imitates an engine that does not exist on this system.
  case workAlike = "work-alike"

  /// Parses the name of an origin, as in a run's files; nil if the name is unknown. Files of version 2 have
  /// `lookalike` instead of `work-alike`.
  public init?(rawValue: String) {
    let value = Self.allCases.first { $0.rawValue == rawValue }
    guard let value = value ?? (rawValue == "lookalike" ? .workAlike : nil) else { return nil }
    self = value
  }
}

/// The status of a trial (a measuring process), or of a planned combination of backend, workload and settings.
public enum Status: String, Sendable, Codable {
  /// The trial (a measuring process) ran, and its results were verified.
  case ok
  /// The trial (a measuring process) crashed, exceeded its time limit, or returned a wrong result. The trial's note has
  /// the details.
  case failed
  /// The trial (a measuring process) was not run, for a reason that applies only to this run, such as a time limit. The
  /// note has the reason.
  case skipped
  /// The trial (a measuring process) cannot be run: the backend does not support the workload, or a library is missing.
  /// The note has the reason.
  case notAvailable = "n/a"
}
