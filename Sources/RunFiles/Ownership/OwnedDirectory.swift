import Foundation
import StorageContract

/// A directory in which this program may change files, locked with flock(2) against other processes of this program.
package final class OwnedDirectory: Sendable {
  /// The absolute path of the directory, with links resolved.
  package let path: String
  package var isNew: Bool { !made.isEmpty }
  private let descriptor: Int32
  private let made: [String]

  package static let storesName = "storage-bench-scratch"

  private static let marker = ".storage-bench"
  private static let markerHead = "This directory was made by storage-bench, which removes it.\n"

  private init(_ path: String, _ descriptor: Int32, made: [String]) {
    self.path = path
    self.descriptor = descriptor
    self.made = made
  }

  deinit {
    // A process that is just being started has a copy of the descriptor, which would keep the lock.
    release()
    close(descriptor)
  }

  // MARK: - Claiming

  /// Locks a directory that the user has named. A missing directory is created, and removed again after an error.
  ///
  /// - Parameters:
  ///   - flag: The command-line option that names the directory, for error messages.
  ///   - isOwn: Returns whether this program owns a directory with these file names. Not called if the directory is
  ///     empty.
  /// - Throws: `UsageError` for an unusable path, a directory in use or not writable, or files of other programs.
  package static func claim(
    _ name: String, flag: String, isOwn: (_ path: String, _ names: [String]) throws -> Bool = { _, _ in false }
  ) throws -> OwnedDirectory {
    let wanted = try absolute(name, flag: flag)
    return try claim(wanted, flag: flag, isOwn: isOwn) { try claimed(flag) { try makeDirectories(wanted) } }
  }

  private static func claim(
    _ wanted: String, flag: String, isOwn: (_ path: String, _ names: [String]) throws -> Bool = { _, _ in false },
    make: () throws -> [String]
  ) throws -> OwnedDirectory {
    for _ in 0..<8 {
      let made = try make()
      // A directory that was created here stays if another process has claimed it.
      var isClaimed = false
      do {
        let descriptor = open(wanted, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
          if errno == ENOENT, lstat(wanted) == nil { continue }
          throw UsageError("\(wanted) cannot be opened (\(system(errno))); give \(flag) another directory")
        }
        let directory = OwnedDirectory(real(wanted), descriptor, made: made)
        guard try directory.isLocked(flag: flag) else { continue }
        isClaimed = true
        // Temporary files of killed processes are ignored.
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
          .filter { AtomicFile.writer(of: $0) == nil }
        guard try names.isEmpty || isOwn(directory.path, names) else {
          let others = names.sorted().prefix(2).joined(separator: ", ") + (names.count > 2 ? ", ..." : "")
          throw UsageError(
            "\(wanted) contains files that storage-bench did not create (\(others)); give \(flag) a new or an empty directory"
          )
        }
        guard access(directory.path, W_OK | X_OK) == 0 else {
          throw UsageError("cannot write to \(wanted); give \(flag) a directory that can be written")
        }
        return directory
      } catch {
        if isClaimed { for path in made.reversed() { _ = rmdir(path) } }
        throw error
      }
    }
    throw UsageError("\(wanted) is repeatedly created and removed by another program; give \(flag) another directory")
  }

  package static func claimNew(_ name: String, flag: String) throws -> OwnedDirectory {
    let first = try absolute(name, flag: flag)
    for number in 1...10_000 {
      let path = number == 1 ? first : "\(first)-\(number)"
      guard lstat(path) == nil else { continue }
      do {
        // Only the process that creates the directory locks it, so no process takes a directory from another.
        return try claim(path, flag: flag) {
          let parents = try claimed(flag) { try makeDirectories((path as NSString).deletingLastPathComponent) }
          return parents + [try created(path, flag)]
        }
      } catch is NameTaken {
        continue
      }
    }
    throw UsageError("\(name) and 10,000 similar names are taken; give \(flag) a new directory")
  }

  /// The error for a new directory whose name is already taken, or whose parent directory is missing.
  private struct NameTaken: Error {}

  private static func created(_ path: String, _ flag: String) throws -> String {
    if mkdir(path, 0o777) == 0 { return path }
    if errno == EEXIST || errno == ENOENT { throw NameTaken() }
    throw UsageError("cannot create \(path) (\(system(errno))); give \(flag) a directory that can be written")
  }

  /// Creates a temporary directory for this process. Removes temporary directories of processes that were killed.
  ///
  /// - Parameters:
  ///   - parent: The parent directory. If it is missing, it is created, and later removed.
  ///   - flag: The command-line option for the parent directory, named in error messages.
  package static func temporary(in parent: String, flag: String = "--scratch") throws -> OwnedDirectory {
    let parent = try absolute(parent, flag: flag)
    let made = try claimed(flag) { try makeDirectories(parent) }
    var isDone = false
    defer { if !isDone { for path in made.reversed() { _ = rmdir(path) } } }
    removeLeftovers(in: parent)
    for _ in 0..<8 {
      let path = "\(parent)/\(AtomicFile.temporaryName(suffix: ""))"
      guard mkdir(path, 0o700) == 0 else {
        if errno == EEXIST { continue }
        throw UsageError("cannot write to \(parent) (\(system(errno))); give \(flag) a directory that can be written")
      }
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else {
        if errno == ENOENT { continue }
        let reason = system(errno)
        rmdir(path)
        throw UsageError("cannot open \(path) (\(reason)); give \(flag) another directory")
      }
      let directory = OwnedDirectory(real(path), descriptor, made: made + [path])
      // Another process may have removed the directory as a leftover before it was locked.
      guard (try? directory.isLocked(flag: flag)) == true else { continue }
      do {
        try directory.mark()
        Remains.add(directory.path)
      } catch {
        directory.removeAll()
        throw error
      }
      isDone = true
      return directory
    }
    throw UsageError("cannot make a directory in \(parent); give \(flag) another directory")
  }

  private static func removeLeftovers(in parent: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    where AtomicFile.writer(of: name, suffix: "") != nil {
      let path = "\(parent)/\(name)"
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      let directory = OwnedDirectory(path, descriptor, made: [])
      guard (try? directory.isLocked(flag: "")) == true else { continue }
      if directory.mark != nil { directory.removeAll() } else { rmdir(path) }
    }
  }

  package static func check(_ name: String, flag: String) throws {
    let wanted = try absolute(name, flag: flag)
    let path = try claimed(flag) { try existing(wanted).parent }
    guard access(path, W_OK | X_OK) == 0 else {
      throw UsageError("cannot write to \(path); give \(flag) a directory that can be written")
    }
  }

  package static func make(_ name: String) throws { _ = try makeDirectories(absolute(name, flag: "--out")) }

  /// Returns the absolute form of a path. Throws `UsageError` for an empty path, which would mean the working
  /// directory.
  package static func absolute(_ name: String, flag: String) throws -> String {
    guard !name.isEmpty else { throw UsageError("\(flag) is empty; give it a path, such as . for this directory") }
    return URL(fileURLWithPath: name).standardizedFileURL.path
  }

  // MARK: - The mark

  /// The text in the mark file, which shows that this program owns the directory. Nil without a mark file.
  package var mark: String? { Self.mark(of: path) }

  package static func mark(of path: String) -> String? {
    let file = "\(path)/\(Self.marker)"
    guard lstat(file)?.st_mode.isRegularFile == true, let text = try? String(contentsOfFile: file, encoding: .utf8),
      text.hasPrefix(markerHead)
    else { return nil }
    return String(text.dropFirst(markerHead.count))
  }

  package func mark(_ text: String = "") throws {
    let file = URL(fileURLWithPath: "\(path)/\(Self.marker)")
    try AtomicFile.write(Self.markerHead + text, to: file) { $0.starts(with: Self.markerHead.utf8) }
  }

  // MARK: - Working in it

  package func makeDirectory(_ directory: String) throws {
    try require(directory)
    try Self.makeDirectory(String(directory.dropFirst(path.count + 1)), in: path)
  }

  package static func makeDirectory(_ name: String, in parent: String) throws {
    var path = parent
    for part in name.split(separator: "/") where part != "." {
      path += "/\(part)"
      guard mkdir(path, 0o777) != 0 else { continue }
      let error = errno
      guard error == EEXIST else { throw FileWriteError(path: path, reason: system(error)) }
      guard lstat(path)?.st_mode.isDirectory == true else {
        throw UsageError("\(path) is a file or a link, not a directory; move it away")
      }
    }
  }

  /// Removes a file or directory inside this directory. Errors are ignored. A link is removed, but not the file it
  /// points to.
  package func remove(_ item: String) {
    guard (try? require(item)) != nil else { return }
    try? FileManager.default.removeItem(atPath: item)
  }

  package func move(_ item: String, to other: String) throws {
    for path in [item, other] { try require(path) }
    try FileManager.default.moveItem(atPath: item, toPath: other)
  }

  package func release() { _ = flock(descriptor, LOCK_UN) }

  /// Removes the directory if it contains only its mark file, and then the empty directories that were created for it.
  package func removeIfEmpty() {
    if mark != nil {
      AtomicFile.removeLeftovers(in: path)
      guard (try? FileManager.default.contentsOfDirectory(atPath: path)) == [Self.marker] else { return }
      unlink("\(path)/\(Self.marker)")
      rmdir(path)
    }
    for path in made.reversed() { _ = rmdir(path) }
  }

  package func removeAll() {
    guard isNew || mark != nil else { return }
    defer {
      Remains.forget(path)
      release()
    }
    try? FileManager.default.removeItem(atPath: path)
    for path in made.reversed() { _ = rmdir(path) }
  }

  // MARK: - Helpers

  private func require(_ item: String) throws {
    guard item.hasPrefix(path + "/"), !item.split(separator: "/").contains("..") else {
      throw UsageError(
        "internal error: \(item) is not in \(path), the only directory that may be changed; report it")
    }
  }

  /// Locks the directory. Returns false if another process has removed or replaced the directory.
  ///
  /// - Throws: `UsageError` if another process has locked the directory.
  private func isLocked(flag: String) throws -> Bool {
    // On a file system without locks, no claim is refused.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw UsageError("\(path) is in use by another run; wait until it ends, or give \(flag) another directory")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink > 0, let there = Self.lstat(path) else { return false }
    return there.st_ino == status.st_ino && there.st_dev == status.st_dev
  }

  /// Returns the nearest directory of a path that exists, and the missing directories, from the innermost to the
  /// outermost.
  private static func existing(_ path: String) throws -> (parent: String, missing: [String]) {
    var missing: [String] = []
    var parent = path
    while lstat(parent) == nil, parent != "/" {
      missing.append(parent)
      parent = (parent as NSString).deletingLastPathComponent
    }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: parent, isDirectory: &isDirectory), isDirectory.boolValue else {
      throw FileWriteError(path: parent, reason: system(ENOTDIR))
    }
    return (parent, missing)
  }

  /// Creates a directory with its parents. Returns the new directories, from the outermost to the innermost.
  private static func makeDirectories(_ path: String) throws -> [String] {
    var made: [String] = []
    for path in try existing(path).missing.reversed() {
      if mkdir(path, 0o777) == 0 {
        made.append(path)
      } else if errno != EEXIST {
        let reason = system(errno)
        for path in made.reversed() { _ = rmdir(path) }
        throw FileWriteError(path: path, reason: reason)
      }
    }
    return made
  }

  private static func claimed<Result>(_ flag: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as FileWriteError {
      throw error.reason == system(ENOTDIR)
        ? UsageError("\(error.path) is not a directory; give \(flag) another path")
        : UsageError("cannot create \(error.path) (\(error.reason)); give \(flag) a directory that can be written")
    }
  }

  private static func real(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func system(_ number: Int32) -> String { String(cString: strerror(number)) }

  package static func lstat(_ path: String) -> stat? {
    var status = stat()
    return Foundation.lstat(path, &status) == 0 ? status : nil
  }
}

extension mode_t {
  package var isDirectory: Bool { self & S_IFMT == S_IFDIR }
  package var isRegularFile: Bool { self & S_IFMT == S_IFREG }
}

/// A formatter of numbers in store paths. The width is fixed, because longer paths could change an engine's
/// allocations.
package enum PathNumber {
  /// The process id as seven digits, for paths. Linux has no ids above 4,194,304, see proc(5).
  package static var process: String { text(getpid(), digits: 7) }

  package static func text(_ number: some BinaryInteger, digits: Int, radix: Int = 10) -> String {
    let text = String(number, radix: radix)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
