import StorageContract

/// A cell of a plan, with the properties that are known before the cell runs.
public struct PlannedCell: Sendable, Codable, Equatable {
  /// The combination of backend, workload and settings to measure.
  public var cell: Cell
  /// The durability level of the cell; nil for workloads that only read.
  public var level: Level?
  /// The durability setting with which a read-only cell opens its store. The setting is nil for the backend's default,
  /// and for cells that save, which have their setting in ``cell``.
  public var readDurability: Durability?
  /// The origin of the implementation, see ``Fidelity``.
  public var fidelity: Fidelity
  /// The resemblance of a work-alike to the original engine; nil for other backends, and in older runs.
  public var likeness: Resemblance?
  /// The engine's own name and version, such as `SQLite 3.40.1`.
  public var engineVersion: String
  /// The reason why the cell is not run; nil if the cell is run.
  public var refusal: Refusal?
  /// The reason why the cell is counted but not timed; nil if the cell is timed.
  public var untimed: String?
  /// Whether the cell's data never leaves the process. Reports show such a row as a floor, without a rank.
  public var isFloor: Bool
  /// Whether every save writes the whole store.
  public var isWholeFile: Bool

  /// Whether the backend saves into a write-ahead log; nil means no.
  public var keepsLog: Bool?

  /// Whether the backend's counts do not repeat exactly, according to its description; nil means no.
  public var countsVary: Bool?

  /// The reason why a planned cell is not run.
  public struct Refusal: Sendable, Codable, Equatable {
    /// The status of the cell: ``Status/skipped`` or ``Status/notAvailable``.
    public var status: Status
    /// The reason why the cell is not run, in one sentence.
    public var note: String

    /// Creates the reason why a planned cell is not run.
    public init(status: Status, note: String) {
      self.status = status
      self.note = note
    }
  }

  /// Creates a cell of a plan.
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

/// The origin of the implementation of a backend's operations, which matters for fairness.
public enum Fidelity: String, Sendable, Codable, CaseIterable {
  /// The operations are the engine's own implementation.
  case native
  /// The suite emulates the operation with the engine's basic operations, as an app would implement it.
  case emulated
  /// The engine imitates an engine that does not exist on this system.
  case workAlike = "work-alike"

  /// Parses the origin of an implementation. Files of version 2 call a work-alike `lookalike`.
  public init?(rawValue: String) {
    let value = Self.allCases.first { $0.rawValue == rawValue }
    guard let value = value ?? (rawValue == "lookalike" ? .workAlike : nil) else { return nil }
    self = value
  }
}

/// The status of a cell or a trial.
public enum Status: String, Sendable, Codable {
  /// The trial ran and was verified.
  case ok
  /// The trial crashed, exceeded its time limit, or returned a wrong result. The note has the details.
  case failed
  /// The trial was not run, for a reason specific to this run. The note gives the reason.
  case skipped
  /// The cell cannot be run: the backend does not support it, or its library is missing. The note gives the reason.
  case notAvailable = "n/a"
}
