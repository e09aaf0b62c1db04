import StorageContract

/// A cell with the properties that are known before it runs.
public struct PlannedCell: Sendable, Codable, Equatable {
  /// The cell.
  public var cell: Cell
  /// The level of the row; nil for workloads that only read.
  public var level: Level?
  /// The durability settings in which a read-only cell opens its store; nil for the shipped ones, and for cells that
  /// save, which have theirs in ``cell``.
  public var readDurability: Durability?
  /// See ``Fidelity``.
  public var fidelity: Fidelity
  /// For a work-alike, its resemblance to the original; nil for others, and in runs of builds without this field.
  public var likeness: Resemblance?
  /// The engine's own name and version, such as `SQLite 3.40.1`.
  public var engineVersion: String
  /// The reason that the cell is not run, or nil.
  public var refusal: Refusal?
  /// The reason that the cell is counted but not timed, or nil.
  public var untimed: String?
  /// Whether nothing leaves the process. Reports show such a row as a floor, without a rank.
  public var isFloor: Bool
  /// Whether every save writes the whole store.
  public var isWholeFile: Bool

  /// Whether saves go into a write-ahead log; nil means no.
  public var keepsLog: Bool?

  /// Whether the backend's counts do not repeat exactly, according to its description; nil means no.
  public var countsVary: Bool?

  /// The reason that a planned cell is not run.
  public struct Refusal: Sendable, Codable, Equatable {
    /// ``Status/skipped`` or ``Status/notAvailable``.
    public var status: Status
    /// The reason, in one sentence.
    public var note: String

    /// Creates a refusal.
    public init(status: Status, note: String) {
      self.status = status
      self.note = note
    }
  }

  /// Creates a planned cell.
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

/// The origin of a row's implementation, which matters for fairness.
public enum Fidelity: String, Sendable, Codable, CaseIterable {
  /// The engine's own implementation.
  case native
  /// The suite's emulation over the required members, as an app would implement it.
  case emulated
  /// An engine that imitates one that does not exist on this system.
  case workAlike = "work-alike"

  /// Parses a value. Files of version 2 call a work-alike `lookalike`.
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
  /// The trial was not run, for a reason specific to this run. The note gives it.
  case skipped
  /// The cell cannot be run: the backend does not support it, or its library is missing. The note gives the reason.
  case notAvailable = "n/a"
}
