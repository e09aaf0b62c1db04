/// What acknowledged saves were seen to have done for their safety, while their calls to the kernel were counted.
///
/// Calls are necessary and not sufficient: they can refute a promise and not prove it, which takes a power cut.
public struct ObservedSaves: Equatable, Sendable {
  /// Saves that changed something and were acknowledged.
  public var acknowledged: Int
  /// Of these, saves that had written and removed nothing.
  public var unwritten: Int
  /// Saves none of whose written files had been synced after its last write.
  public var unsynced: Int
  /// Of these, saves that had synced another file, or before their last write.
  public var syncedElsewhere: Int
  /// Saves whose synced files had all been renamed, or that had only removed some, with no sync of the directory after that.
  public var unnamed: Int
  /// Files that were written and renamed.
  public var renamed: Int
  /// Of these, files whose data had not been synced.
  public var renamedUnsynced: Int

  /// What was seen; nothing, unless said otherwise.
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

  /// Why these saves cannot have the level that was promised, in one sentence without a full stop; nil if they can.
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
