/// A disk model: rules for the unsynced changes that a file system may lose when the power fails, which define the disk
/// states to test. A bad disk may lose more, a good disk loses less, and no real file system leaves all states.
enum DiskModel: String, CaseIterable, Sendable {
  /// Any unsynced change may be missing, in any order. A file may have its new length without its data. A rename is
  /// complete or missing. Names become durable only by a sync of their directory. These are the rules of ALICE (Pillai
  /// et al., OSDI 2014), except for the rename, which ALICE splits.
  case strict
  /// Names and truncations become durable in the order in which they were made, as with a journal. A file's sync also
  /// makes the file's name durable. Unsynced data of a file becomes durable in any order. After a write beyond a file's
  /// end, the file has its new length only together with the written data, with one exception: zeros may fill the rest
  /// of the block in which the file ended.
  case ext4Like = "ext4-like"
  /// ext4 without a journal, after e2fsck. See ``JournallessMetadata``.
  case ext4NoJournal = "ext4-no-journal"

  /// The model by which a test decides whether a backend breaks a promise. It is the same on every machine and for
  /// every disk.
  static let judged = DiskModel.ext4Like

  private static var block: Int { 4_096 }

  /// Returns the length that a write beyond a file's end may give the file although no written byte reaches the disk.
  /// Returns nil if the file keeps its length in that case.
  func bareLength(from length: Int, to end: Int) -> Int? {
    guard end > length else { return nil }
    switch self {
    case .strict, .ext4NoJournal: return end
    case .ext4Like:
      let rest = length % Self.block
      return rest == 0 ? nil : min(end, length - rest + Self.block)
    }
  }
  var ordersMetadata: Bool { self == .ext4Like }

  /// Returns the block of metadata that contains a changed name or inode; nil for data and for metadata without an
  /// order.
  func block(of change: DiskChange) -> MetadataBlock? {
    guard change.isMetadata else { return nil }
    switch self {
    case .strict: return nil
    case .ext4Like: return .journal
    case .ext4NoJournal: return JournallessMetadata.block(of: change)
    }
  }
}

/// A block of metadata on a disk, or the journal. Its changes reach the disk in the order in which they were made.
enum MetadataBlock: Hashable, Sendable {
  case journal
  case directory(String)
  case inode(UInt64)
}
