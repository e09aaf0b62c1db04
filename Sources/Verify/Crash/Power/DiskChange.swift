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
  }

  /// Which of the log's steps makes it.
  let step: Int
  let effect: Effect
  /// Of a write, how long the file was before.
  let lengthBefore: Int

  /// How a case names it: the step, and whether it is the length alone.
  var name: String { isLength ? "\(step)s" : "\(step)" }
  /// Whether it is the length that a write gives, without the bytes.
  var isLength: Bool { if case .grow = effect { true } else { false } }

  /// The file whose bytes or length it changes, or that it names; nil for directories and exchanged names.
  var file: UInt64? {
    switch effect {
    case .write(let file, _, _), .grow(let file, _), .resize(let file, _), .link(_, let file), .unlink(_, let file),
      .rename(_, _, let file):
      file
    case .exchange, .makeDirectory, .removeDirectory: nil
    }
  }

  /// The directory that it changes; nil for a file's content.
  var directory: String? {
    switch effect {
    case .write, .grow, .resize: nil
    case .link(let name, _), .unlink(let name, _), .rename(_, let name, _), .exchange(_, let name),
      .makeDirectory(let name), .removeDirectory(let name):
      String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)])
    }
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
