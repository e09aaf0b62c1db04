import CStorageInstrument

/// One system call on a store's files, as an entry of a ``CallLog``. Calls that failed are logged, too.
public struct LoggedCall: Sendable, Equatable {
  /// The kind of a logged system call. ``LoggedCall/failed`` says whether the call failed.
  public enum Kind: String, CaseIterable, Sendable {
    /// A system call, such as open, that opens an existing file. ``LoggedCall/truncates`` says whether the call emptied
    /// the file.
    case open
    /// A system call, such as open, that creates a new file.
    case create
    /// read, pread and readv.
    case read
    /// write, pwrite and writev. The ``CallLog`` contains the written bytes.
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
    /// A mark in the log, not a system call, after the opening of the store or after a save: see
    /// ``LoggedCall/acknowledges``.
    case acknowledge

    /// The bit mask for this kind of system call: 1 for ``open``, 2 for ``create``, 4 for ``read``.
    var bit: UInt32 { 1 << UInt32(Self.allCases.firstIndex(of: self) ?? 0) }
  }

  /// The kind of the system call, such as a write or a rename.
  public var kind: Kind
  /// The path of the file or directory, relative to the store's directory. Empty for the store's directory itself, and
  /// for an unknown path.
  public var name: String
  /// The new path in a rename or link; ``name`` is the old path. Empty for other calls, and for a path outside the
  /// store's directory.
  public var otherName: String
  /// A number for the file or directory, computed from inode and device, so that all names of a file share the number;
  /// 0 if unknown.
  public var file: UInt64
  /// The number that identifies the replaced file, for a rename over an existing file; otherwise 0.
  public var replaced: UInt64
  /// The position in the file, in bytes, of a read, write, allocation or mapping. For a truncation, the new length. For
  /// an opening, creation or rename, the flags.
  public var offset: UInt64
  /// The number of bytes that the caller asked the system call to read, write or allocate.
  public var length: UInt64
  /// The value that the system call returned: a number of bytes, a file descriptor, 0, or the negative errno of a
  /// failed call.
  public var result: Int64
  /// Whether the call also syncs the bytes that it writes, for example because the file was opened with O_DSYNC.
  public var isSynchronous: Bool
  /// Whether the call opened an existing file and emptied it.
  public var truncates: Bool
  /// Whether a test has injected a fault into the call, such as a failure.
  public var isFault: Bool
  /// The time at which the system call began, in nanoseconds of CLOCK_MONOTONIC.
  public var began: Int64
  /// The time at which the system call ended, in nanoseconds of CLOCK_MONOTONIC.
  public var ended: Int64
  /// The bytes that a write put into the file; fewer than ``length`` after a short write.
  public var data: [UInt8]

  /// Whether this log entry marks a successful save. Such an entry is not a system call.
  public var acknowledges: Bool { kind == .acknowledge && offset == 1 }

  /// Whether the call is a sync, or a write that also syncs its bytes (``isSynchronous``).
  public var isSync: Bool {
    switch kind {
    case .sync, .syncDirectory, .syncAll, .syncMap: true
    default: isSynchronous
    }
  }

  /// A description of the call, such as `a write of 4096 bytes to store.plist, from byte 0 on`.
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

  /// Whether the system call returned an error.
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
