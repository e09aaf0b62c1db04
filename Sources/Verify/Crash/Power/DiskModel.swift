/// The rules for the unsynced changes that a power cut may lose. The rules define the disk states to try. A bad disk
/// may lose more.
enum DiskModel: String, CaseIterable, Sendable {
  /// The rules of ALICE (Pillai et al., OSDI 2014) without split renames: any unsynced change may be lost; directory
  /// syncs keep names.
  case strict
  /// The rules of a journal, as in ext4: names and truncations become durable in order, data in any order. A file sync
  /// keeps the name.
  case ext4Like = "ext4-like"
  /// The rules of ext4 without a journal, after a repair by e2fsck: see ``JournallessMetadata``.
  case ext4NoJournal = "ext4-no-journal"

  /// The disk model by which a test decides whether a power cut breaks a promise of the backend.
  static let judged = DiskModel.ext4Like

  private static var block: Int { 4_096 }

  /// Returns the length of a file whose growth by a write survives a power cut without the written bytes; nil if that
  /// cannot happen.
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

  /// Returns the place of a metadata change, in which changes reach the disk in order. Nil if the change is
  /// independent.
  func block(of change: DiskChange) -> MetadataBlock? {
    guard change.isMetadata else { return nil }
    switch self {
    case .strict: return nil
    case .ext4Like: return .journal
    case .ext4NoJournal: return JournallessMetadata.block(of: change)
    }
  }
}

/// A place on a disk for metadata, such as file names. Changes in one place reach the disk in the order in which they
/// were made.
enum MetadataBlock: Hashable, Sendable {
  case journal
  case directory(String)
  case inode(UInt64)
}
