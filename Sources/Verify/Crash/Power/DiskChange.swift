/// A change to the files or names on a disk, which is either present or missing after a power cut.
@_spi(Lab) public struct DiskChange: Sendable {
  public let step: Int
  public let effect: DiskEffect
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
  public var isInode: Bool {
    switch effect {
    case .allocate, .free: true
    default: false
    }
  }
  public var isLength: Bool { if case .grow = effect { true } else { false } }

  public var file: UInt64? {
    switch effect {
    case .write(let file, _, _), .grow(let file, _), .resize(let file, _), .link(_, let file), .unlink(_, let file),
      .rename(_, _, let file), .allocate(let file), .free(let file):
      file
    case .exchange, .makeDirectory, .removeDirectory: nil
    }
  }

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
    switch effect {
    case .write(_, let start, let data): return start + data.count > length
    case .grow: return true
    default: return false
    }
  }

  public var written: (start: Int, count: Int)? {
    if case .write(_, let start, let data) = effect { (start, data.count) } else { nil }
  }
}
