/// The files and names on a disk after a power cut. A name may exist without its file's data, or the reverse.
extension ReplayedFiles {
  func length(of file: UInt64) -> Int? { contents[file]?.count }

  /// Applies a change to the files. If a write is torn, only the range `kept` of its bytes is applied.
  @_spi(Lab) public mutating func apply(_ effect: DiskEffect, kept: Range<Int>? = nil) {
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
      apply(.link(other, file))
    case .exchange(let name, let other):
      (names[name], names[other]) = (names[other], names[name])
    case .makeDirectory(let name): directories.insert(name)
    case .removeDirectory(let name): directories.remove(name)
    case .allocate(let file): unused.remove(file)
    case .free(let file): unused.insert(file)
    }
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
}
