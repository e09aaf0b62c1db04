import CStorageInstrument

/// One kernel call that changed a store's files, or tried to. It is an entry of a ``CallLog``.
public struct LoggedCall: Sendable, Equatable {
  /// The kind of a call. A failed call counts, too.
  public enum Kind: String, CaseIterable, Sendable {
    /// Opens an existing file; see ``LoggedCall/truncates``.
    case open
    /// Creates a file by opening it.
    case create
    /// read, pread and readv.
    case read
    /// write, pwrite and writev. The log contains the bytes.
    case write
    /// truncate and ftruncate, to a smaller or larger length.
    case truncate
    /// fallocate and posix_fallocate.
    case allocate
    /// fsync and fdatasync of a file.
    case sync
    /// fsync and fdatasync of a directory.
    case syncDirectory = "sync-directory"
    /// sync and syncfs.
    case syncAll = "sync-all"
    /// rename, renameat and renameat2.
    case rename
    /// Gives a file a second name.
    case link
    /// Removes a file's name, and the file with its last name.
    case unlink
    /// mkdir and mkdirat.
    case makeDirectory = "make-directory"
    /// rmdir, and unlinkat of a directory.
    case removeDirectory = "remove-directory"
    /// Maps a file shared and writable. Writes through the mapping are not observed.
    case map
    /// msync of a shared writable mapping.
    case syncMap = "sync-map"
    /// A mark between two saves instead of a call; see ``LoggedCall/acknowledges``.
    case acknowledge

    /// The bit of this kind in a fault plan and in an entry of the log.
    var bit: UInt32 { 1 << UInt32(Self.allCases.firstIndex(of: self) ?? 0) }
  }

  /// The kind of the call.
  public var kind: Kind
  /// The name of the file or directory, relative to the store's directory, whose own name is empty. For a rename or
  /// link, the old name.
  public var name: String
  /// The new name for a rename or link, otherwise empty.
  public var otherName: String
  /// The number of the file or directory, the same for each of its names; 0 if unknown.
  public var file: UInt64
  /// For a rename, the number of the replaced file, or 0.
  public var replaced: UInt64
  /// The offset in the file; for ``Kind/truncate`` the new length, for opens and renameat2 the flags.
  public var offset: UInt64
  /// The number of bytes requested.
  public var length: UInt64
  /// The result that the caller received: bytes, a descriptor, 0, or the negative errno.
  public var result: Int64
  /// Whether the call itself syncs what it writes, as with O_DSYNC.
  public var isSynchronous: Bool
  /// Whether opening the file emptied it.
  public var truncates: Bool
  /// Whether a fault plan altered the call.
  public var isFault: Bool
  /// The start of the call, in nanoseconds of CLOCK_MONOTONIC.
  public var began: Int64
  /// The end of the call, in nanoseconds of CLOCK_MONOTONIC.
  public var ended: Int64
  /// The bytes of a write that reached the file.
  public var data: [UInt8]

  /// Whether this mark of kind ``Kind/acknowledge`` acknowledges a change. Other marks are mere separators.
  public var acknowledges: Bool { kind == .acknowledge && offset == 1 }

  /// Whether the call makes changes durable.
  public var isSync: Bool {
    switch kind {
    case .sync, .syncDirectory, .syncAll, .syncMap: true
    default: isSynchronous
    }
  }

  /// The call as a half sentence: `a write of 4096 bytes to store.plist, from byte 0 on`.
  public var sentence: String {
    let file = name.isEmpty ? "the store's directory" : name
    switch kind {
    case .open: return truncates ? "an opening of \(file) that empties it" : "an opening of \(file)"
    case .create: return "the making of \(file)"
    case .read: return "a read of \(length) bytes from \(file), from byte \(offset) on"
    case .write: return "a write of \(length) bytes to \(file), from byte \(offset) on"
    case .truncate: return "a truncation of \(file) to \(offset) bytes"
    case .rename, .link: return "a \(kind.rawValue) of \(file) to \(otherName)"
    case .sync, .syncDirectory: return "a sync of \(file)"
    case .unlink: return "the removal of \(file)"
    default: return "\(kind.rawValue) of \(file)"
    }
  }

  /// Whether the call returned an error to the caller.
  public var failed: Bool { result < 0 }
}

extension LoggedCall {
  /// Decodes an entry.
  ///
  /// - Returns: Nil if the kind is unknown.
  init?(_ entry: ci_entry, name: String, otherName: String, data: [UInt8]) {
    guard let kind = Kind.allCases.first(where: { $0.bit == entry.call }) else { return nil }
    func has(_ flag: Int) -> Bool { entry.flags & UInt32(flag) != 0 }
    self.init(
      kind: kind, name: name, otherName: otherName, file: entry.file, replaced: entry.other, offset: entry.offset,
      length: entry.length, result: entry.result, isSynchronous: has(CI_ENTRY_SYNCHRONOUS),
      truncates: has(CI_ENTRY_TRUNCATES), isFault: has(CI_ENTRY_FAULT),
      began: entry.began, ended: entry.ended, data: data)
  }
}
