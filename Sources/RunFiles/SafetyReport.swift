import StorageContract

/// What the fault tests found: `safety.json`.
public struct SafetyReport: Sendable, Codable, Equatable {
  /// See ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// A backend at a level under one kind of fault.
  public struct FaultResult: Sendable, Codable, Equatable {
    /// The backend with its options, `sqlite:journal=delete`.
    public var backend: String
    /// What was asked.
    public var durability: Durability
    /// The level that the row has.
    public var level: Level
    /// `kill`, `power`, `enospc`, `eio`, `short-write`, `damage`.
    public var fault: String
    /// How often it was tried.
    public var tries: Int
    /// After which the store held every acknowledged save.
    public var nothingLost: Int
    /// After which it held an earlier save, whole.
    public var earlierSave: Int
    /// After which it did not open, or held what was never saved.
    public var damaged: Int
    /// Those of them that the level does not allow.
    public var broken: Int
    /// What is remarkable, or empty.
    public var note: String

    private enum CodingKeys: String, CodingKey {
      case backend, durability, level, fault, tries
      case nothingLost = "nothing_lost"
      case earlierSave = "earlier_save"
      case damaged, broken, note
    }

    /// Creates a result.
    public init(
      backend: String, durability: Durability, level: Level, fault: String, tries: Int, nothingLost: Int,
      earlierSave: Int, damaged: Int, broken: Int, note: String = ""
    ) {
      self.backend = backend
      self.durability = durability
      self.level = level
      self.fault = fault
      self.tries = tries
      self.nothingLost = nothingLost
      self.earlierSave = earlierSave
      self.damaged = damaged
      self.broken = broken
      self.note = note
    }
  }

  /// What was found, backend by backend.
  public var findings: [FaultResult]

  /// Creates a report.
  public init(findings: [FaultResult]) { self.findings = findings }
}
