import Foundation

/// The files and names on a disk after a power cut. In contrast to ``ReplayedFiles``, a name may exist without its
/// file's data, and the data without the name.
struct DiskFiles {
  private(set) var contents: [UInt64: [UInt8]]
  private(set) var names: [String: UInt64]
  private(set) var directories: Set<String>
  /// The ids of the files without a valid inode, which is the entry for a file's length and blocks. After a power cut,
  /// such a file may still have a name, which a file system check removes.
  private(set) var unused: Set<UInt64> = []

  init(_ files: ReplayedFiles, leavingOut isLeftOut: (String) -> Bool = { _ in false }) {
    contents = files.contents
    names = files.names.filter { !isLeftOut($0.key) }
    directories = files.directories
  }

  /// The visible files: the bytes of each file by its path. Files without their parent directories are left out.
  var files: [String: [UInt8]] {
    names.filter { isReachable($0.key) && !unused.contains($0.value) }.compactMapValues { contents[$0] }
  }

  private func isReachable(_ name: String) -> Bool {
    let parts = name.split(separator: "/").dropLast()
    return parts.indices.allSatisfy { directories.contains(parts[...$0].joined(separator: "/")) }
  }

  mutating func notYetInUse(_ file: UInt64) { unused.insert(file) }

  func length(of file: UInt64) -> Int? { contents[file]?.count }

  /// Applies a change to the files. If a write is torn, only the range `kept` of its bytes is applied.
  mutating func apply(_ effect: DiskChange.Effect, kept: Range<Int>? = nil) {
    switch effect {
    case .write(let file, let start, let data):
      let kept = kept ?? 0..<data.count
      let end = start + kept.upperBound
      var content = contents.removeValue(forKey: file) ?? []
      if content.count < end { Self.resize(&content, end) }
      content.replaceSubrange(start + kept.lowerBound..<end, with: data[kept])
      contents[file] = content
    case .grow(let file, let length):
      if (contents[file]?.count ?? 0) < length { Self.resize(&contents[file, default: []], length) }
    case .resize(let file, let length): Self.resize(&contents[file, default: []], length)
    case .link(let name, let file):
      names[name] = file
      if contents[file] == nil { contents[file] = [] }
    case .unlink(let name, _): names[name] = nil
    case .rename(let name, let other, let file):
      if names[name] == file { names[name] = nil }
      names[other] = file
      if contents[file] == nil { contents[file] = [] }
    case .exchange(let name, let other):
      (names[name], names[other]) = (names[other], names[name])
    case .makeDirectory(let name): directories.insert(name)
    case .removeDirectory(let name): directories.remove(name)
    case .allocate(let file): unused.remove(file)
    case .free(let file): unused.insert(file)
    }
  }

  func write(to directory: String) throws {
    for name in directories.sorted() where isReachable(name) {
      try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
    }
    for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(name)")) }
  }

  var fingerprint: Int {
    var hasher = Hasher()
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      hasher.combine(name)
      hasher.combine(bytes.count)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    for name in directories.sorted() where isReachable(name) { hasher.combine(name) }
    return hasher.finalize()
  }

  private static func resize(_ content: inout [UInt8], _ length: Int) {
    if content.count > length {
      content.removeSubrange(length...)
    } else if content.count < length {
      // In a debug build, appending a sequence would take a call for each byte.
      let old = content
      content = [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
        old.withUnsafeBytes { UnsafeMutableRawBufferPointer(bytes).copyMemory(from: $0) }
        memset(bytes.baseAddress! + old.count, 0, length - old.count)
        count = length
      }
    }
  }
}
