import CStorageInstrument

/// One call to the kernel that changed a store's files, or tried to: an entry of a ``CallLog``.
public struct LoggedCall: Sendable, Equatable {
  /// What a call does. An attempt that failed is a call, too.
  public enum Kind: String, CaseIterable, Sendable {
    /// Opens a file that is there; see ``LoggedCall/truncates``.
    case open
    /// Makes a file by opening it.
    case create
    /// read, pread and readv.
    case read
    /// write, pwrite and writev; the bytes stand in the log.
    case write
    /// truncate and ftruncate, to a smaller or a larger length.
    case truncate
    /// fallocate and posix_fallocate.
    case allocate
    /// fsync and fdatasync of a file.
    case sync
    /// The same of a directory.
    case syncDirectory = "sync-directory"
    /// sync and syncfs.
    case syncAll = "sync-all"
    /// rename, renameat and renameat2.
    case rename
    /// Gives a file a second name.
    case link
    /// Takes a file's name away, and the file with its last one.
    case unlink
    /// mkdir and mkdirat.
    case makeDirectory = "make-directory"
    /// rmdir, and unlinkat of a directory.
    case removeDirectory = "remove-directory"
    /// Makes a shared mapping that may be written through; what is written there is not seen.
    case map
    /// msync of such a mapping.
    case syncMap = "sync-map"
    /// No call: a mark between two saves, see ``LoggedCall/acknowledges``.
    case acknowledge

    /// What a fault plan and an entry of the log call it, a bit.
    var bit: UInt32 { 1 << UInt32(Self.allCases.firstIndex(of: self) ?? 0) }
  }

  /// What it does.
  public var kind: Kind
  /// The file's or directory's name, from the store's directory, which is itself the empty name; of a rename or link
  /// the old one.
  public var name: String
  /// The new name of a rename or link, else empty.
  public var otherName: String
  /// The number of the file or directory, the same under each of its names; 0 where it is not known.
  public var file: UInt64
  /// Of a rename: the file that was replaced, or 0.
  public var replaced: UInt64
  /// Where in the file; of ``Kind/truncate`` the new length, of opens the flags, of a rename those of renameat2.
  public var offset: UInt64
  /// How many bytes were asked for.
  public var length: UInt64
  /// What the caller was told: bytes, a descriptor, 0, or minus the errno.
  public var result: Int64
  /// Whether the call itself takes what it writes to the disk, as through O_DSYNC.
  public var isSynchronous: Bool
  /// Whether opening it emptied the file.
  public var truncates: Bool
  /// Whether it was opened for reading alone.
  public var opensForReading: Bool
  /// Whether a fault plan has made this of the call.
  public var isFault: Bool
  /// When it began, in nanoseconds of CLOCK_MONOTONIC.
  public var began: Int64
  /// When it ended, by the same clock.
  public var ended: Int64
  /// What reached the file, of a write.
  public var data: [UInt8]

  /// Of ``Kind/acknowledge``: whether a change was acknowledged; else it only marks a place.
  public var acknowledges: Bool { kind == .acknowledge && offset == 1 }

  /// Whether it takes something to the disk.
  public var isSync: Bool {
    switch kind {
    case .sync, .syncDirectory, .syncAll, .syncMap: true
    default: isSynchronous
    }
  }

  /// What it does, as a half sentence: `a write of 4096 bytes to store.plist, from byte 0 on`.
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

  /// Whether the caller was told an error.
  public var failed: Bool { result < 0 }
}

extension LoggedCall {
  /// Decodes an entry.
  ///
  /// - Returns: Nil if the kind is none that is known.
  init?(_ entry: ci_entry, name: String, otherName: String, data: [UInt8]) {
    guard let kind = Kind.allCases.first(where: { $0.bit == entry.call }) else { return nil }
    func has(_ flag: Int) -> Bool { entry.flags & UInt32(flag) != 0 }
    self.init(
      kind: kind, name: name, otherName: otherName, file: entry.file, replaced: entry.other, offset: entry.offset,
      length: entry.length, result: entry.result, isSynchronous: has(CI_ENTRY_SYNCHRONOUS),
      truncates: has(CI_ENTRY_TRUNCATES), opensForReading: has(CI_ENTRY_READS), isFault: has(CI_ENTRY_FAULT),
      began: entry.began, ended: entry.ended, data: data)
  }
}
