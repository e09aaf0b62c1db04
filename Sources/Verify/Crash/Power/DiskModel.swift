/// A disk model: rules for the unsynced changes that a power cut may lose. The rules define the disk states that a test
/// tries. A bad disk may lose more.
enum DiskModel: String, CaseIterable, Sendable {
  /// A disk model with few guarantees: a power cut may lose any of the unsynced changes and keep any others. Names
  /// become durable only by a sync of their directory. The rules are those of ALICE (Pillai et al., OSDI 2014), but a
  /// rename is never split.
  case strict
  /// A disk model for file systems with a journal, such as ext4. Truncations and changes of file names become durable
  /// in their order, and unsynced data in any order. A sync of a file also makes its name durable. If appended bytes
  /// are lost, the file grows at most to the end of its last block, with zeros instead of these bytes.
  case ext4Like = "ext4-like"
  /// A disk model for ext4 without a journal: the changes that a power cut may lose, after the file system check e2fsck
  /// has repaired the disk. See ``JournallessMetadata`` for the rules.
  case ext4NoJournal = "ext4-no-journal"

  /// The disk model by which a test decides whether a backend breaks a promise. A disk model is a set of rules for the
  /// changes that a power cut may lose.
  static let judged = DiskModel.ext4Like

  private static var block: Int { 4_096 }

  /// Returns the length of a file if a power cut loses the bytes of a write, but keeps the file's growth. Before the
  /// write, the file has `length` bytes. The write ends at byte `end`. Nil if the write does not make the file longer,
  /// or if the disk model keeps no growth without the bytes.
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

  /// Returns the place on the disk that stores a change of metadata: the journal, a directory or an inode. Changes in
  /// one place reach the disk in the order in which they were made. Nil if the change can reach the disk before or
  /// after any other change.
  func block(of change: DiskChange) -> MetadataBlock? {
    guard change.isMetadata else { return nil }
    switch self {
    case .strict: return nil
    case .ext4Like: return .journal
    case .ext4NoJournal: return JournallessMetadata.block(of: change)
    }
  }
}

/// A place on a disk that stores metadata, such as file names and file lengths: the journal, a directory or an inode.
/// Changes in one place reach the disk in the order in which they were made.
enum MetadataBlock: Hashable, Sendable {
  case journal
  case directory(String)
  case inode(UInt64)
}
