import StorageContract

/// A cell with what is known of it before it runs.
public struct PlannedCell: Sendable, Codable, Equatable {
  /// The cell.
  public var cell: Cell
  /// The level that the row has; nil for workloads that only read.
  public var level: Level?
  /// The durability in whose settings a cell that only reads opens its store; nil for what is shipped, and for cells that
  /// save, which have theirs in ``cell``.
  public var readDurability: Durability?
  /// See ``Fidelity``.
  public var fidelity: Fidelity
  /// Of a work-alike, how far it stands for what it imitates; nil for others, and in runs of builds that did not say.
  public var likeness: Resemblance?
  /// Whether the engine is another one than the one of the same name on Apple's systems; nil is no, and in runs of builds
  /// that did not say.
  public var isPort: Bool?
  /// The engine as it names itself, `SQLite 3.40.1`.
  public var engineVersion: String
  /// Why the cell is not run, or nil.
  public var refusal: Refusal?
  /// Why the cell is counted and not timed, or nil.
  public var untimed: String?
  /// Whether nothing leaves the process: the row stands in reports as a floor, without a rank.
  public var isFloor: Bool
  /// Whether every save writes the whole store.
  public var isWholeFile: Bool

  /// Whether its saves go into a write-ahead log; nil is no.
  public var keepsLog: Bool?

  /// Whether the backend says that its counts do not repeat exactly; nil is no.
  public var countsVary: Bool?

  /// Why a planned cell is not run.
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

/// How a row came about, as far as fairness is concerned.
public enum Fidelity: String, Sendable, Codable, CaseIterable {
  /// The engine's own way.
  case native
  /// By the suite's emulation over the required members, as an app would do it.
  case emulated
  /// By an engine that imitates one that does not exist on this system.
  case workAlike = "work-alike"

  /// Reads a value; files of version 2 call a work-alike `lookalike`.
  public init?(rawValue: String) {
    let value = Self.allCases.first { $0.rawValue == rawValue }
    guard let value = value ?? (rawValue == "lookalike" ? .workAlike : nil) else { return nil }
    self = value
  }
}

/// What became of a cell or a trial.
public enum Status: String, Sendable, Codable {
  /// It ran and was verified.
  case ok
  /// It crashed, ran over its limit, or returned something wrong; the note says which.
  case failed
  /// It was not run, for a reason of this run; the note gives it.
  case skipped
  /// It cannot be: the backend cannot do this, or its library is missing; the note says why.
  case notAvailable = "n/a"
}
