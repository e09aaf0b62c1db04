import Foundation
import StorageContract

/// The method by which a save replaces the content of a file.
enum Rewriting: Sendable {
  /// Foundation's plain write, which truncates the file, writes in place and syncs. A crash during the write destroys
  /// the old content.
  case inPlace
  /// A write to a temporary file, which is then renamed over the old file. Nothing is synced.
  case renamed
  /// Foundation's `.atomic` write: a temporary file is written, synced and renamed over the old file.
  case atomic
  /// A write like ``atomic``, followed by a sync of the directory, so that a power cut cannot undo the rename.
  case atomicAndDirectory

  init(_ durability: Durability, _ options: Options) {
    switch durability {
    case _ where options[WholeFileOptions.atomic] == "no": self = .inPlace
    case .intact where WholeFileOptions.isSplit(options): self = .atomicAndDirectory
    case .shipped, .intact: self = .atomic
    case .crash: self = .renamed
    case .durable: self = .atomicAndDirectory
    }
  }

  var settings: String {
    switch self {
    case .inPlace: "atomic=no fsync=yes directory_fsync=no"
    case .renamed: "atomic=yes fsync=no directory_fsync=no"
    case .atomic: "atomic=yes fsync=yes directory_fsync=no"
    case .atomicAndDirectory: "atomic=yes fsync=yes directory_fsync=yes"
    }
  }

  /// Returns the safety level of a store in files for a requested durability, or a refusal.
  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    switch Rewriting(durability, options) {
    case .inPlace where durability == .shipped: .level(.fragile)
    case .inPlace: .unavailable("without atomic=yes the file is emptied before it is written")
    case .renamed: .level(.crash)
    // With several files and without a sync of the directory, a power cut may lose one rename and keep a later one.
    case .atomic: .level(WholeFileOptions.isSplit(options) ? .crash : .intact)
    case .atomicAndDirectory: .level(.durable)
    }
  }
}

enum FoundationFormats {
  /// The deviations of Foundation's binary formats (Swift 6.3.1 on Linux). A file stores equal values, such as 0 and
  /// -0, only once, so one may be read as the other.
  static let deviations = [
    Deviation(
      .equalTexts,
      "Texts that Unicode calls equal, such as é as one scalar and as two, may come back in one form, since Foundation "
        + "writes equal texts of a file once."),
    Deviation(
      .equalZeros, "0 and -0 in one file may come back as one of them, since Foundation writes equal numbers once."),
  ]
}

struct WholeFile {
  let path: String
  let rewriting: Rewriting

  /// A defect of Foundation in Swift 6.3.1 on Linux: after a partial write, Foundation starts again with the first
  /// byte.
  static let shortWrites = Deviation(
    .shortWrites,
    "After a write that the kernel cuts short, Foundation starts again with the first byte, so the file is damaged "
      + "although the save is acknowledged.")

  var name: String { URL(fileURLWithPath: path).lastPathComponent }

  /// Returns the file's content, or nil if the file does not exist. Throws ``StoreError/damaged(_:)`` if the file is
  /// empty.
  func read() throws -> Data? {
    guard let data = try Self.content(path, name) else { return nil }
    guard !data.isEmpty else { throw StoreError.damaged("\(name) is empty") }
    return data
  }

  static func content(_ path: String, _ name: @autoclosure () -> String) throws -> Data? {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path))
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    } catch {
      throw StoreError(error, on: name())
    }
  }

  static func unnamed(_ collection: String, in file: String) -> StoreError {
    .failed("\(file) holds a collection '\(collection)' that was not named at opening; name it at opening, too")
  }

  /// Replaces the file's content. With ``Rewriting/inPlace``, an error can destroy the old content.
  func replace(with data: Data) throws {
    if rewriting == .renamed { return try renamingWrite(data, syncs: false) }
    do {
      try data.write(to: URL(fileURLWithPath: path), options: rewriting == .inPlace ? [] : .atomic)
    } catch {
      throw StoreError(error, on: name)
    }
  }

  func syncDirectory() throws {
    guard case .atomicAndDirectory = rewriting else { return }
    try Self.sync(URL(fileURLWithPath: path).deletingLastPathComponent().path, "the directory of \(name)")
  }

  /// Syncs a directory to the disk, or a file if `flags` is 0. Error messages name the directory or file by `what`.
  static func sync(_ path: String, _ what: @autoclosure () -> String, _ flags: Int32 = O_DIRECTORY) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | flags)
    guard descriptor >= 0 else { throw StoreError(errno: errno, doing: "opening \(what())") }
    defer { _ = close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StoreError(errno: errno, doing: "syncing \(what())") }
  }

  /// Creates the directory `path`, which is inside `root`. Returns false if the directory already exists.
  static func makeDirectory(_ path: String, in root: String) throws -> Bool {
    if mkdir(path, 0o777) == 0 { return true }
    let code = errno
    // On a read-only disk, mkdir may report the disk's error even if the directory exists.
    guard code != EEXIST, access(path, F_OK) != 0 else { return false }
    throw StoreError(errno: code, doing: "making the directory \(path.dropFirst(root.count + 1))")
  }

  static func entries(_ directory: String) throws -> [String] {
    guard let stream = opendir(directory) else {
      throw StoreError(errno: errno, doing: "listing \(URL(fileURLWithPath: directory).lastPathComponent)")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Writes data to a temporary file, syncs the file if `syncs` is true, and renames the file over the old one.
  func renamingWrite(_ data: Data, syncs: Bool) throws {
    let temporary = path + ".tmp"
    let descriptor = try Self.create(temporary, "\(name).tmp")
    do {
      try data.withUnsafeBytes { try Self.fill(descriptor, $0, syncs: syncs, "\(name).tmp") }
      guard rename(temporary, path) == 0 else {
        throw StoreError(errno: errno, doing: "renaming \(name).tmp")
      }
    } catch {
      _ = unlink(temporary)
      throw error
    }
  }

  /// Creates or empties the file at a path, and opens the file for writing.
  static func create(_ path: UnsafePointer<CChar>, _ name: @autoclosure () -> String) throws -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw StoreError(errno: errno, doing: "creating \(name())") }
    return descriptor
  }

  /// Writes bytes to an open file, syncs the file if `syncs` is true, and closes the file.
  static func fill(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, syncs: Bool, _ name: @autoclosure () -> String
  ) throws {
    do {
      try writeAll(bytes, to: descriptor, name())
      guard !syncs || fsync(descriptor) == 0 else { throw StoreError(errno: errno, doing: "syncing \(name())") }
    } catch {
      _ = close(descriptor)
      throw error
    }
    guard close(descriptor) == 0 else { throw StoreError(errno: errno, doing: "closing \(name())") }
  }

  static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ name: String) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written < 0 {
        if errno == EINTR { continue }
        throw StoreError(errno: errno, doing: "writing \(name)")
      }
      rest = rest.dropFirst(written)
    }
  }
}
