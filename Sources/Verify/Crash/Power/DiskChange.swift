/// A change to the files or names on a disk, which is either present or missing after a power cut.
struct DiskChange: Sendable {
  /// The effect of a system call on a disk. The values of type `UInt64` identify files.
  enum Effect: Sendable {
    case write(UInt64, at: Int, [UInt8])
    /// The growth of a file by a write. After a power cut, the file may have the new length without the written bytes.
    case grow(UInt64, to: Int)
    case resize(UInt64, to: Int)
    case link(String, UInt64)
    case unlink(String, UInt64)
    case rename(String, String, UInt64)
    case exchange(String, String)
    case makeDirectory(String)
    case removeDirectory(String)
    /// The creation of a file's inode. This change can reach the disk without the file's name.
    case allocate(UInt64)
    /// The release of a removed file's inode. This change can reach the disk without the removal of the name.
    case free(UInt64)
  }

  let step: Int
  let effect: Effect
  let lengthBefore: Int

  /// Whether the change affects a name in a directory of several disk blocks. Without a journal, a power cut can lose
  /// such a change and keep later changes in the directory.
  var isAlone = false
  /// Whether the change is the second half of a rename: the removal of the old name.
  var isSecondHalf = false

  /// The name of this change: the number of its step in the log. Some kinds of changes add a letter, such as `3s` for a
  /// new file length in step 3.
  var name: String {
    switch effect {
    case .grow: "\(step)s"
    case .allocate: "\(step)i"
    case .free: "\(step)f"
    default: isSecondHalf ? "\(step)r" : "\(step)"
    }
  }
  var isInode: Bool {
    switch effect {
    case .allocate, .free: true
    default: false
    }
  }
  var isLength: Bool { if case .grow = effect { true } else { false } }

  var file: UInt64? {
    switch effect {
    case .write(let file, _, _), .grow(let file, _), .resize(let file, _), .link(_, let file), .unlink(_, let file),
      .rename(_, _, let file):
      file
    case .allocate(let file), .free(let file): file
    case .exchange, .makeDirectory, .removeDirectory: nil
    }
  }

  var directory: String? {
    switch effect {
    case .write, .grow, .resize, .allocate, .free: nil
    case .link(let name, _), .unlink(let name, _), .rename(_, let name, _), .exchange(_, let name),
      .makeDirectory(let name), .removeDirectory(let name):
      Self.directory(of: name)
    }
  }

  static func directory(of name: String) -> String { String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]) }

  /// Whether the change affects metadata, such as a name, an inode or a truncation. False for the bytes of a write and
  /// for a file's growth by a write.
  var isMetadata: Bool {
    switch effect {
    case .write, .grow: false
    default: true
    }
  }

  func liesBeyond(_ truncation: DiskChange) -> Bool {
    guard case .resize(let file, let length) = truncation.effect, file == self.file else { return false }
    switch effect {
    case .write(_, let start, let data): return start + data.count > length
    case .grow: return true
    default: return false
    }
  }

  var written: (start: Int, count: Int)? {
    if case .write(_, let start, let data) = effect { (start, data.count) } else { nil }
  }
}
