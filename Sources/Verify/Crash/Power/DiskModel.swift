/// What a file system may leave of changes that were not synced when the power goes.
///
/// Each is kinder than a bad disk and stricter than a good one: a model names what is tested, and no real file system
/// leaves all that it allows.
enum DiskModel: String, CaseIterable, Sendable {
  /// Anything that was not synced may be missing, in any order; a file may have its new length without its data; a rename
  /// is there or not; names last only by a sync of their directory. These are the rules of ALICE (Pillai et al., OSDI
  /// 2014), but for the rename, which they split.
  case strict
  /// Names and truncations last in their order, as by a journal; a file's sync takes its own name with it; and a file is
  /// no longer than the data that reached it, but for the rest of a block that it had already, which ext4 leaves as
  /// zeros. What data reached a file unsynced is in no order.
  case ext4Like = "ext4-like"
  /// ext4 made without a journal, after e2fsck. See ``JournallessMetadata``.
  case ext4NoJournal = "ext4-no-journal"

  /// The model by which a promise counts as broken, on every machine: a level must not depend on the disk of the test.
  static let judged = DiskModel.ext4Like

  private static var block: Int { 4_096 }

  /// To what length a write may make a file longer without a byte of it being there; nil if it cannot.
  func bareLength(from length: Int, to end: Int) -> Int? {
    guard end > length else { return nil }
    switch self {
    case .strict, .ext4NoJournal: return end
    case .ext4Like:
      let rest = length % Self.block
      return rest == 0 ? nil : min(end, length - rest + Self.block)
    }
  }
  /// Whether names and truncations last in their order.
  var ordersMetadata: Bool { self == .ext4Like }

  /// The metadata that reaches the disk together with a change; changes of the same block last in their order. Nil for
  /// data, and for metadata that is in no order.
  func block(of change: DiskChange) -> MetadataBlock? {
    guard change.isMetadata else { return nil }
    switch self {
    case .strict: return nil
    case .ext4Like: return .journal
    case .ext4NoJournal: return JournallessMetadata.block(of: change)
    }
  }
}

/// Metadata whose changes reach the disk in their order.
enum MetadataBlock: Hashable, Sendable {
  case journal
  case directory(String)
  case inode(UInt64)
}
