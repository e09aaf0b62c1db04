/// The counts that a run obtains by observing the writes and syncs of each acknowledged save.
///
/// A missing write or sync can refute a promised durability level. Only a power cut can confirm a level.
public struct ObservedSaves: Equatable, Sendable {
  /// The number of saves that changed something and were acknowledged to the caller.
  public var acknowledged: Int
  /// The number of acknowledged saves that wrote nothing and removed no file.
  public var unwritten: Int
  /// The number of acknowledged saves in which no written file was synced after the last write to that file.
  public var unsynced: Int
  /// The number of saves in ``unsynced`` that made a sync. The sync did not help, because it was of another file or
  /// came before the last write.
  public var syncedElsewhere: Int
  /// The number of saves whose changed file names a power cut can undo, because no directory was synced. Such a save
  /// renamed every file that it synced, or made no other change than to remove files.
  public var unnamed: Int
  /// The number of files that saves wrote and then renamed.
  public var renamed: Int
  /// The number of renamed files whose data had not been synced before the rename.
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

  /// Returns the reason why the observed saves cannot have the promised safety level, in one sentence without a full
  /// stop. The result is nil if no reason is found. The levels require the following:
  ///
  /// - `durable`: before a save is acknowledged, a written file is synced. The directory is synced too if the file was
  ///   renamed, or if the save only removed files.
  /// - `intact` and above: a file is renamed only after its data has been synced.
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
