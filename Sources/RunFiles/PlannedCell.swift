import StorageContract

/// A planned benchmark (a combination of backend, workload and settings), with the facts known before the measurement.
public struct PlannedCell: Sendable, Codable, Equatable {
  /// The combination of backend, workload and settings to measure.
  public var cell: Cell
  /// The safety level at which saves are measured: what survives a crash or a power cut. Nil for read-only workloads.
  public var level: Level?
  /// The durability setting with which a read-only workload opens the store, or nil for the backend's default.
  public var readDurability: Durability?
  /// The origin of the measured code: the engine, an emulation by this suite, or an imitation of an engine
  /// (work-alike).
  public var fidelity: Fidelity
  /// The resemblance of the backend to the system that it imitates. Nil without such a system, and in older runs.
  public var likeness: Resemblance?
  /// The name and version of the engine, such as `SQLite 3.40.1`.
  public var engineVersion: String
  /// The reason why this combination of backend, workload and settings is not measured. Nil for a combination that is
  /// measured.
  public var refusal: Refusal?
  /// The reason why this combination of backend, workload and settings is not timed: only calls and bytes are counted.
  /// Nil for a timed combination.
  public var untimed: String?
  /// Whether the backend keeps data only in memory. Reports show the times as a lower bound, without a rank.
  public var isFloor: Bool
  /// Whether every save of the backend writes the whole store.
  public var isWholeFile: Bool

  /// Whether the saves of the workload go into a write-ahead log. Nil means false.
  public var keepsLog: Bool?

  /// Whether the backend's counts of calls and bytes differ slightly from run to run. Nil means false.
  public var countsVary: Bool?

  /// The reason why a planned benchmark is not measured.
  public struct Refusal: Sendable, Codable, Equatable {
    /// The status of a benchmark that is not measured: ``Status/skipped`` or ``Status/notAvailable``.
    public var status: Status
    /// The reason why a benchmark is not measured, in one sentence.
    public var note: String

    /// Creates the reason why a planned benchmark is not measured.
    public init(status: Status, note: String) {
      self.status = status
      self.note = note
    }
  }

  /// Creates a planned benchmark: a combination of backend, workload and settings.
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

/// The origin of the code that performs a backend's operations, by which readers judge whether a comparison is fair.
public enum Fidelity: String, Sendable, Codable, CaseIterable {
  /// The engine itself implements the operations.
  case native
  /// The suite emulates operations that the engine lacks, as an app would.
  case emulated
  /// The backend imitates an engine that does not exist on this system.
  case workAlike = "work-alike"

  /// Creates an origin of a backend's code from its name in the files of a run, such as `work-alike`. Nil if the name
  /// is unknown.
  public init?(rawValue: String) {
    let value = Self.allCases.first { $0.rawValue == rawValue }
    guard let value = value ?? (rawValue == "lookalike" ? .workAlike : nil) else { return nil }
    self = value
  }
}

/// The status of a measuring process (trial) or of a planned benchmark.
public enum Status: String, Sendable, Codable {
  /// The trial ran, and its results were verified.
  case ok
  /// The trial crashed, exceeded its time limit, or returned a wrong result.
  case failed
  /// The measurement was not made, for a reason that applies only to this run, such as a time limit.
  case skipped
  /// The measurement is impossible: the backend does not support the workload, or a library is missing.
  case notAvailable = "n/a"
}
