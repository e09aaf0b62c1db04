/// What a file system may leave of changes that were not synced when the power goes.
///
/// Both are kinder than a bad disk and stricter than a good one: a model names what is tested, and no real file system
/// leaves all that it allows.
enum DiskModel: String, CaseIterable, Sendable {
  /// Anything that was not synced may be missing, in any order; a file may have its new length without its data; a rename
  /// is there or not; names last only by a sync of their directory. These are the rules of ALICE (Pillai et al., OSDI
  /// 2014), but for the rename, which they split.
  case strict
  /// Names and truncations last in their order, as by a journal; a file's sync takes its own name with it, and a file is
  /// no longer than the data that reached it. What data reached a file unsynced is in no order.
  case ext4Like = "ext4-like"

  /// Whether a file's length may be there without what was written.
  var partsLengthFromData: Bool { self == .strict }
  /// Whether names and truncations last in their order.
  var ordersMetadata: Bool { self == .ext4Like }
}
