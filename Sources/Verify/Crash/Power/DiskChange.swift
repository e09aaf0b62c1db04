/// A change to the files or names on a disk, which is either present or missing after a power cut.
@_spi(Lab) public struct DiskChange: Sendable {
  /// The number of the change's step in the log, from 0.
  public let step: Int
  /// The effect of the change on the disk.
  public let effect: DiskEffect
  /// The length of the changed file before the change, in bytes; 0 if there was no such file.
  var lengthBefore = 0

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

  /// Whether the change creates or releases a file's inode.
  public var isInode: Bool {
    switch effect {
    case .allocate, .free: true
    default: false
    }
  }

  /// Whether the change is the growth of a file by a write, without the written bytes.
  public var isLength: Bool { if case .grow = effect { true } else { false } }

  /// The number of the changed file; nil for changes of directories and for exchanges of two names.
  public var file: UInt64? {
    switch effect {
    case .write(let file, _, _), .grow(let file, _), .resize(let file, _), .link(_, let file), .unlink(_, let file),
      .rename(_, _, let file), .allocate(let file), .free(let file):
      file
    case .exchange, .makeDirectory, .removeDirectory: nil
    }
  }

  /// The directory of the changed name, empty for the top directory. Nil if the change affects no name.
  public var directory: String? {
    switch effect {
    case .write, .grow, .resize, .allocate, .free: nil
    case .link(let name, _), .unlink(let name, _), .rename(_, let name, _), .exchange(_, let name),
      .makeDirectory(let name), .removeDirectory(let name):
      Self.directory(of: name)
    }
  }

  static func directory(of name: String) -> String { String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]) }

  /// Whether the change affects metadata, such as a name or a truncation, and not bytes or the growth by a write.
  public var isMetadata: Bool { written == nil && !isLength }

  func liesBeyond(_ truncation: DiskChange) -> Bool {
    guard case .resize(let file, let length) = truncation.effect, file == self.file else { return false }
    return isLength || written.map { $0.start + $0.count > length } ?? false
  }

  /// The position and number of the written bytes; nil if the change is no write.
  public var written: (start: Int, count: Int)? {
    if case .write(_, let start, let data) = effect { (start, data.count) } else { nil }
  }
}
