/// The counts of acknowledged saves in a benchmark run, and of saves that lacked a write or a sync.
///
/// The counts can refute a promised safety level, but cannot confirm it.
public struct ObservedSaves: Equatable, Sendable {
  /// The number of saves that changed something and were acknowledged to the caller.
  public var acknowledged: Int
  /// The number of acknowledged saves that neither wrote nor removed a file.
  public var unwritten: Int
  /// The number of acknowledged saves that synced none of the files that they had written. Only a sync after the last
  /// write to a file counts.
  public var unsynced: Int
  /// The number of saves in ``unsynced`` that did make a sync, but not the needed one: the sync was of another file, or
  /// came before the save's last write to the file.
  public var syncedElsewhere: Int
  /// The number of acknowledged saves that a power cut can undo, because a directory was not synced.
  ///
  /// A directory stores the names of its files. Such a save has renamed every file that it synced, or has only removed
  /// files.
  public var unnamed: Int
  /// The number of files that saves wrote and then renamed.
  public var renamed: Int
  /// The number of renamed files whose data had not been synced before the rename.
  public var renamedUnsynced: Int

  /// Creates counts of acknowledged saves, of saves that lacked a write or a sync, and of renamed files. All counts are
  /// 0 by default.
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

  /// Returns the reason why the observed saves contradict a safety level, as a sentence without a full stop. Nil if
  /// they do not contradict the level.
  ///
  /// - `crash` and above: each save must write or remove a file.
  /// - `intact` and above: the data of a file must be synced before the file is renamed.
  /// - `durable`: each save must sync a file that it has written. The save must also sync the directory if a power cut
  ///   could undo its rename or removal.
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
