import Foundation

/// The files of a directory, rebuilt in memory from a log of system calls by ``apply(_:)``.
public struct ReplayedFiles: Sendable, Equatable {
  /// The bytes of each file. The keys are the numbers that identify the files; see ``LoggedCall/file``.
  public internal(set) var contents: [UInt64: [UInt8]] = [:]
  /// The number that identifies each file, by the file's name relative to the directory.
  public internal(set) var names: [String: UInt64] = [:]
  /// The names of the subdirectories.
  public internal(set) var directories: Set<String> = []

  /// The numbers of the files mapped into memory for writing. Their content is unknown, because such writes are not
  /// logged.
  public private(set) var mapped: Set<UInt64> = []

  /// The files, by number, that have no inode after a simulated power cut. A file system check would remove the names
  /// of such files.
  var unused: Set<UInt64> = []

  /// Creates an empty directory in memory.
  public init() {}

  /// Reads the current content of a directory on disk.
  ///
  /// - Throws: The error of Foundation if the directory cannot be read.
  public init(readingFrom directory: String) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
      let path = "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        directories.insert(name)
      } else {
        // The number is computed from inode and device, as in the log of calls. A file with two names is read twice but
        // has one number, so the file is not doubled.
        let file = UInt64(status.st_ino) ^ (UInt64(status.st_dev) &* 0x9E37_79B9_7F4A_7C15)
        names[name] = file
        contents[file] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      }
    }
  }

  /// The bytes of each file, by the file's path. Files that a power cut made unreachable are not included, such as
  /// files in a lost directory.
  public var files: [String: [UInt8]] {
    names.filter { isReachable($0.key) && !unused.contains($0.value) }.compactMapValues { contents[$0] }
  }

  func isReachable(_ name: String) -> Bool {
    let parts = name.split(separator: "/").dropLast()
    return parts.indices.allSatisfy { directories.contains(parts[...$0].joined(separator: "/")) }
  }

  /// Repeats a logged system call in memory. A failed call changes nothing, except that a failed write still adds the
  /// bytes written before the failure.
  ///
  /// - Throws: ``CallLogError`` if the file does not exist in memory.
  public mutating func apply(_ call: LoggedCall) throws {
    guard !call.failed || call.kind == .write else { return }
    switch call.kind {
    case .create: contents[call.file] = []
    case .map: mapped.insert(call.file)
    case .rename where directories.contains(call.name): return renameDirectory(call)
    default: break
    }
    for effect in try call.effects(on: call.file, length: length(of: call.file)) { apply(effect) }
  }

  /// Compares these files with a directory on disk, and returns one sentence for each difference. The content of the
  /// files in ``mapped`` is ignored.
  ///
  /// - Throws: The error of Foundation if the directory cannot be read.
  public func differences(from directory: String) throws -> [String] {
    let (replayed, there) = (files, try ReplayedFiles(readingFrom: directory))
    let found = there.files
    let sentences = Set(replayed.keys).union(found.keys).sorted().compactMap { name -> String? in
      guard let expected = replayed[name] else { return "\(name) is there and in no call" }
      guard let bytes = found[name] else { return "\(name) was made and is not there" }
      guard expected != bytes, names[name].map(mapped.contains) != true else { return nil }
      let index = zip(expected, bytes).enumerated().first { $1.0 != $1.1 }?.offset
      return "\(name) has \(bytes.count) bytes, after the calls \(expected.count)"
        + (index.map { ", and differs from byte \($0) on" } ?? "")
    }
    guard directories != there.directories else { return sentences }
    return sentences + ["there are different directories from those that were made"]
  }

  /// Writes the files into an existing empty directory.
  ///
  /// - Throws: The error of Foundation if the directory cannot be written.
  public func write(to directory: String) throws {
    for name in directories.sorted() where isReachable(name) {
      try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
    }
    for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(name)")) }
  }

  static func resize(_ content: inout [UInt8], _ length: Int) {
    if content.count > length {
      content.removeSubrange(length...)
    } else {
      // A mapped file may need a gigabyte of zeros, which would be slow one by one in a build without optimization.
      let more = length - content.count
      content += [UInt8](unsafeUninitializedCapacity: more) { zeros, count in
        if let base = zeros.baseAddress { memset(base, 0, more) }
        count = more
      }
    }
  }

  private mutating func renameDirectory(_ call: LoggedCall) {
    directories.remove(call.name)
    directories = Set(directories.map { Self.renamed($0, call) } + [call.otherName])
    // Names are unique unless the log was altered.
    names = Dictionary(names.map { (Self.renamed($0, call), $1) }, uniquingKeysWith: { first, _ in first })
  }

  private static func renamed(_ name: String, _ call: LoggedCall) -> String {
    name.hasPrefix(call.name + "/") ? call.otherName + name.dropFirst(call.name.count) : name
  }
}
