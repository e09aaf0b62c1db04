/// The observed steps of acknowledged saves towards safety, while their system calls were counted.
///
/// The calls are necessary but not sufficient. They can refute a promised level; only a power cut can confirm it.
public struct ObservedSaves: Equatable, Sendable {
  /// Saves that changed something and were acknowledged.
  public var acknowledged: Int
  /// The number of these saves that had written and removed nothing.
  public var unwritten: Int
  /// Saves that had synced none of their written files after its last write.
  public var unsynced: Int
  /// The number of these saves that had synced another file, or had synced before their last write.
  public var syncedElsewhere: Int
  /// Saves without a sync of the directory after they had renamed all of their synced files, or had only removed some.
  public var unnamed: Int
  /// Files that were written and renamed.
  public var renamed: Int
  /// The number of these files whose data had not been synced.
  public var renamedUnsynced: Int

  /// Creates the counts, by default all 0.
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

  /// Returns why these saves cannot have the promised level, in one sentence without a full stop; nil if they can.
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
