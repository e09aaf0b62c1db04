/// A model of what a file system may leave of unsynced changes when the power fails. Each model is kinder than a bad
/// disk and stricter than a good one. Models define which states are tested; no real file system leaves all of them.
enum DiskModel: String, CaseIterable, Sendable {
  /// Any unsynced change may be missing, in any order. A file may have its new length without its data. A rename is
  /// complete or missing. Names become durable only by a sync of their directory. These are the rules of ALICE (Pillai
  /// et al., OSDI 2014), except for the rename, which ALICE splits.
  case strict
  /// Names and truncations become durable in their order, as with a journal. A file's sync includes its own name. A
  /// file is no longer than the data that reached it, except for the rest of a block that it had already, which ext4
  /// leaves as zeros. Unsynced data reaches a file in any order.
  case ext4Like = "ext4-like"
  /// ext4 without a journal, after e2fsck. See ``JournallessMetadata``.
  case ext4NoJournal = "ext4-no-journal"

  /// The model that decides whether a promise is broken, on every machine. A level must not depend on the test's disk.
  static let judged = DiskModel.ext4Like

  private static var block: Int { 4_096 }

  /// Returns the length to which a write may extend a file without any of its bytes being there; nil if it cannot.
  func bareLength(from length: Int, to end: Int) -> Int? {
    guard end > length else { return nil }
    switch self {
    case .strict, .ext4NoJournal: return end
    case .ext4Like:
      let rest = length % Self.block
      return rest == 0 ? nil : min(end, length - rest + Self.block)
    }
  }
  /// Whether names and truncations become durable in their order.
  var ordersMetadata: Bool { self == .ext4Like }

  /// Returns the metadata block that reaches the disk together with a change. Changes of the same block become durable
  /// in their order. Nil for data, and for metadata that is in no order.
  func block(of change: DiskChange) -> MetadataBlock? {
    guard change.isMetadata else { return nil }
    switch self {
    case .strict: return nil
    case .ext4Like: return .journal
    case .ext4NoJournal: return JournallessMetadata.block(of: change)
    }
  }
}

/// A unit of metadata whose changes reach the disk in their order.
enum MetadataBlock: Hashable, Sendable {
  case journal
  case directory(String)
  case inode(UInt64)
}
