/// Rules that say which unsynced changes a power cut may lose. A crash test tries the disk states that they permit.
@_spi(Lab) public enum DiskModel: String, CaseIterable, Sendable {
  /// The rules of ALICE (Pillai et al., OSDI 2014), but with atomic renames: a power cut may lose any change that is
  /// not synced. A sync of a directory makes its file names durable.
  case strict
  /// The rules of a journal, as in ext4: changes of names and truncations reach the disk in order, data in any order. A
  /// file sync also makes the file's name durable.
  case ext4Like = "ext4-like"
  /// The rules of ext4 without a journal, after a repair by e2fsck: see ``JournallessMetadata``.
  case ext4NoJournal = "ext4-no-journal"

  /// The disk model by which a test decides whether a power cut breaks a guarantee of the backend.
  static let judged = DiskModel.ext4Like

  private static var block: Int { 4_096 }

  /// Returns the length of a file after a power cut that loses the bytes of a write but keeps the file's growth by the
  /// write. Nil if the disk model rules this out.
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

  /// Returns the place of the change: the journal, a directory or an inode. Nil if it is independent of all others.
  public func block(of change: DiskChange) -> MetadataBlock? {
    guard change.isMetadata else { return nil }
    switch self {
    case .strict: return nil
    case .ext4Like: return .journal
    case .ext4NoJournal: return JournallessMetadata.block(of: change)
    }
  }
}

/// A place on a disk for metadata. Changes in one place reach the disk in the order in which they were made.
@_spi(Lab) public enum MetadataBlock: Hashable, Sendable {
  case journal
  case directory(String)
  case inode(UInt64)
}
