import CStorageInstrument

/// One system call that a process made on a store's files, successful or not, as an entry of a ``CallLog``.
public struct LoggedCall: Sendable, Equatable {
  /// The kind of a logged call. A call that failed has the same kind as one that succeeded.
  public enum Kind: String, CaseIterable, Sendable {
    /// An opening of an existing file. ``LoggedCall/truncates`` says whether the opening emptied the file.
    case open
    /// An opening that created the file.
    case create
    /// read, pread and readv.
    case read
    /// write, pwrite and writev. The log contains the written bytes.
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
    /// link: gives a file a second name.
    case link
    /// unlink: removes a file's name, and with the last name the file itself.
    case unlink
    /// mkdir and mkdirat.
    case makeDirectory = "make-directory"
    /// rmdir, and unlinkat of a directory.
    case removeDirectory = "remove-directory"
    /// mmap of a file, shared and writable. Writes to the mapped memory are not observed.
    case map
    /// msync of a shared writable mapping.
    case syncMap = "sync-map"
    /// A mark that the suite writes into the log between two saves, not a system call; see ``LoggedCall/acknowledges``.
    case acknowledge

    /// The bit of this kind in log entries and in sets of kinds: 1 for ``open``, 2 for ``create``, 4 for ``read``.
    var bit: UInt32 { 1 << UInt32(Self.allCases.firstIndex(of: self) ?? 0) }
  }

  /// The kind of the call, such as a write or a rename.
  public var kind: Kind
  /// The path of the file or directory, relative to the store's directory and empty for that directory itself. For a
  /// rename or link, this is the old name.
  public var name: String
  /// For a rename or link, the new name; otherwise empty.
  public var otherName: String
  /// The number that identifies the file or directory; 0 if unknown. A file with several names has one number.
  public var file: UInt64
  /// For a rename over an existing file, the number of the replaced file; otherwise 0.
  public var replaced: UInt64
  /// The offset in the file. For ``Kind/truncate``, it is the new length. For an opening or renameat2, it is the flags.
  public var offset: UInt64
  /// The number of bytes that the caller asked the system call to read, write or allocate.
  public var length: UInt64
  /// The value that the caller received: a number of bytes, a file descriptor, 0, or the negative errno.
  public var result: Int64
  /// Whether the call itself syncs the bytes that it writes, as a write to a file opened with O_DSYNC does.
  public var isSynchronous: Bool
  /// Whether opening the file emptied it.
  public var truncates: Bool
  /// Whether an injected fault altered the call, for example made it fail.
  public var isFault: Bool
  /// The time at which the call began, in nanoseconds of CLOCK_MONOTONIC.
  public var began: Int64
  /// The time at which the call ended, in nanoseconds of CLOCK_MONOTONIC.
  public var ended: Int64
  /// For a write, the bytes that reached the file.
  public var data: [UInt8]

  /// Whether the entry marks an acknowledged save, whose commit returned without an error. Other entries of kind
  /// ``Kind/acknowledge`` only separate saves.
  public var acknowledges: Bool { kind == .acknowledge && offset == 1 }

  /// Whether the call makes changes durable: a sync, or a call with ``isSynchronous``.
  public var isSync: Bool {
    switch kind {
    case .sync, .syncDirectory, .syncAll, .syncMap: true
    default: isSynchronous
    }
  }

  /// The call as a phrase: `a write of 4096 bytes to store.plist, from byte 0 on`.
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
