/// A change that is there or missing after a power cut.
struct DiskChange: Sendable {
  /// What it does. Files go by numbers that no other file of the log has.
  enum Effect: Sendable {
    /// Bytes of a file; where they reach beyond its end, they make it longer.
    case write(UInt64, at: Int, [UInt8])
    /// The length that a write gives to a file, which may be there without a byte of it.
    case grow(UInt64, to: Int)
    case resize(UInt64, to: Int)
    case link(String, UInt64)
    case unlink(String, UInt64)
    case rename(String, String, UInt64)
    case exchange(String, String)
    case makeDirectory(String)
    case removeDirectory(String)
    /// The inode of a new file, where it reaches the disk by itself.
    case allocate(UInt64)
    /// The inode of a file that has no name any more, where it reaches the disk by itself.
    case free(UInt64)
  }

  /// Which of the log's steps makes it.
  let step: Int
  let effect: Effect
  /// Of a write, how long the file was before.
  let lengthBefore: Int

  /// Whether it is a change of a name in no order with other names of its directory.
  var isAlone = false
  /// Whether it is the second half of a rename, which takes the old name away.
  var isSecondHalf = false

  /// The name in a case: the number of the step, and a letter for each further change of the step.
  var name: String {
    switch effect {
    case .grow: "\(step)s"
    case .allocate: "\(step)i"
    case .free: "\(step)f"
    default: isSecondHalf ? "\(step)r" : "\(step)"
    }
  }
  /// Whether it is an inode by itself.
  var isInode: Bool {
    switch effect {
    case .allocate, .free: true
    default: false
    }
  }
  /// Whether it is the length that a write gives, without the bytes.
  var isLength: Bool { if case .grow = effect { true } else { false } }

  /// The file whose bytes or length it changes, or that it names; nil for directories and exchanged names.
  var file: UInt64? {
    switch effect {
    case .write(let file, _, _), .grow(let file, _), .resize(let file, _), .link(_, let file), .unlink(_, let file),
      .rename(_, _, let file):
      file
    case .allocate(let file), .free(let file): file
    case .exchange, .makeDirectory, .removeDirectory: nil
    }
  }

  /// The directory that it changes; nil for a file's content.
  var directory: String? {
    switch effect {
    case .write, .grow, .resize, .allocate, .free: nil
    case .link(let name, _), .unlink(let name, _), .rename(_, let name, _), .exchange(_, let name),
      .makeDirectory(let name), .removeDirectory(let name):
      Self.directory(of: name)
    }
  }

  /// The directory that a name lies in; empty for the store's own.
  static func directory(of name: String) -> String {
    String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)])
  }

  /// Whether a journal of names and truncations holds it.
  var isMetadata: Bool {
    switch effect {
    case .write, .grow: false
    default: true
    }
  }

  /// Whether it writes beyond the end that a truncation of the same file gave.
  func liesBeyond(_ truncation: DiskChange) -> Bool {
    guard case .resize(let file, let length) = truncation.effect, file == self.file else { return false }
    switch effect {
    case .write(_, let start, let data): return start + data.count > length
    case .grow: return true
    default: return false
    }
  }

  /// The bytes of a write, and where they go.
  var written: (start: Int, count: Int)? {
    if case .write(_, let start, let data) = effect { (start, data.count) } else { nil }
  }
}
