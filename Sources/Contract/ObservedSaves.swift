/// The counts of acknowledged saves, by the writes and syncs that they made.
///
/// The calls are necessary but not sufficient. They can refute a promised level; only a power cut can confirm it.
public struct ObservedSaves: Equatable, Sendable {
  /// The number of saves that changed something and were acknowledged.
  public var acknowledged: Int
  /// The number of acknowledged saves that had written and removed nothing.
  public var unwritten: Int
  /// The number of acknowledged saves that had not synced any file after writing to it for the last time.
  public var unsynced: Int
  /// The number of saves in ``unsynced`` that had synced another file, or had synced before their last write.
  public var syncedElsewhere: Int
  /// The number of saves that renamed all of their synced files, or only removed files, without a directory sync then.
  public var unnamed: Int
  /// The number of files that saves wrote and renamed.
  public var renamed: Int
  /// The number of files that were renamed before their data had been synced.
  public var renamedUnsynced: Int

  /// Creates the counts of observed saves, by default all 0.
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

  /// Returns the reason why the saves cannot have the promised level, in one sentence without a full stop, or nil.
  ///
  /// - `durable`: before it is acknowledged, a save syncs a file that it has written, and the directory too if it has
  ///   renamed that file.
  /// - `intact` and above: no file is renamed that holds data which has not been synced.
  /// - `crash` and above: a save writes something.
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
