/// The numbers of acknowledged saves, and of saves that lacked a write or a sync. These numbers can refute a safety
/// level, but not prove it.
public struct ObservedSaves: Equatable, Sendable {
  /// The number of saves that changed something and were acknowledged to the caller.
  public var acknowledged: Int
  /// The number of acknowledged saves that neither wrote nor removed a file.
  public var unwritten: Int
  /// The number of acknowledged saves that had not completely synced any of the files that they had written.
  public var unsynced: Int
  /// The number of saves in ``unsynced`` that made a sync, but of another file or too early.
  public var syncedElsewhere: Int
  /// The number of acknowledged saves that a power cut can undo, because the directory of a renamed or removed file was
  /// not synced.
  public var unnamed: Int
  /// The number of files that saves wrote and then renamed.
  public var renamed: Int
  /// The number of renamed files whose data had not been synced before the rename.
  public var renamedUnsynced: Int

  /// Creates the numbers of observed saves. Numbers that are not given are 0.
  public init(
    acknowledged: UInt64 = 0, unwritten: UInt64 = 0, unsynced: UInt64 = 0, syncedElsewhere: UInt64 = 0,
    unnamed: UInt64 = 0, renamed: UInt64 = 0, renamedUnsynced: UInt64 = 0
  ) {
    self.acknowledged = Int(acknowledged)
    self.unwritten = Int(unwritten)
    self.unsynced = Int(unsynced)
    self.syncedElsewhere = Int(syncedElsewhere)
    self.unnamed = Int(unnamed)
    self.renamed = Int(renamed)
    self.renamedUnsynced = Int(renamedUnsynced)
  }

  /// Returns the reason why the observed saves contradict a safety level, as a sentence without a full stop. Nil
  /// without a contradiction.
  public func refutation(of level: Level) -> String? {
    func sentence(_ count: Int, of all: Int, _ what: String) -> String {
      "\(level.rawValue) is promised, but \(Quantity.grouped(count)) of \(Quantity.grouped(all)) \(what)"
    }
    func saves(_ count: Int, _ what: String) -> String {
      sentence(count, of: acknowledged, "saves were acknowledged before \(what)")
    }
    if level >= .crash, unwritten > 0 { return saves(unwritten, "anything was written") }
    if level >= .durable, unsynced > 0 {
      let others = "; \(Quantity.grouped(syncedElsewhere)) had synced another file, or before their last write"
      return saves(unsynced, "a file that they had written was synced") + (syncedElsewhere > 0 ? others : "")
    }
    if level >= .intact, renamedUnsynced > 0 {
      return sentence(renamedUnsynced, of: renamed, "files were renamed before their data was synced")
    }
    if level >= .durable, unnamed > 0 {
      return saves(unnamed, "the directory was synced in which they had renamed or removed a file")
    }
    return nil
  }
}
