import Foundation
import StorageContract

/// A directory in which this program makes, replaces and removes files: it made the directory, found it empty, or knows
/// it as its own.
///
/// One process has it at a time: it is locked (flock(2) on the directory itself, so that no lock file is needed) until
/// the object goes or the process ends. What lies outside of it is never touched, and links in it are not followed.
package final class OwnedDirectory: Sendable {
  /// The directory, absolute, its links resolved.
  package let path: String
  /// Whether this claim made the directory; else it was there.
  package let isNew: Bool
  private let descriptor: Int32
  /// The directories that the claim made, the outermost first.
  private let made: [String]

  /// The name of the stores' directory in the one that `--scratch` names.
  package static let storesName = "storage-bench-scratch"

  /// The file that marks a directory as this program's own, with everything in it.
  private static let marker = ".storage-bench"
  private static let markerHead = "This directory was made by storage-bench, which removes it.\n"

  private init(_ path: String, _ descriptor: Int32, made: [String]) {
    self.path = path
    self.descriptor = descriptor
    self.made = made
    isNew = !made.isEmpty
  }

  deinit { close(descriptor) }

  // MARK: - Claiming

  /// Claims a directory that a user has named. One that is missing is made, with its parents.
  ///
  /// - Parameters:
  ///   - name: The path.
  ///   - flag: The option that names it, for messages.
  ///   - isOwn: Whether a directory that is not empty is this program's own, by its path and the names in it.
  /// - Throws: `UsageError` if the path is empty, no directory, not writable, in use by another process, or holds what
  ///   this program did not make. Then nothing is left behind.
  package static func claim(
    _ name: String, flag: String, isOwn: (_ path: String, _ names: [String]) throws -> Bool = { _, _ in false }
  ) throws -> OwnedDirectory {
    let wanted = try absolute(name, flag: flag)
    for _ in 0..<8 {
      let made = try claimed(flag) { try makeDirectories(wanted) }
      // Another process may have claimed a directory that was made here: then it stays.
      var isClaimed = false
      do {
        let descriptor = open(wanted, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
          // Another process may have removed it again.
          if errno == ENOENT, lstat(wanted) == nil { continue }
          throw UsageError("\(wanted) cannot be opened (\(system(errno))); give \(flag) another directory")
        }
        let directory = OwnedDirectory(real(wanted), descriptor, made: made)
        guard try directory.isLocked(flag: flag) else { continue }
        isClaimed = true
        // A temporary file of a killed process does not count.
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
          .filter { AtomicFile.writer(of: $0) == nil }
        guard try names.isEmpty || isOwn(directory.path, names) else {
          let others = names.sorted().prefix(2).joined(separator: ", ") + (names.count > 2 ? ", ..." : "")
          throw UsageError(
            "\(wanted) holds what storage-bench did not make there (\(others)); give \(flag) a new or an empty directory"
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
    throw UsageError("\(wanted) is made and removed by others all the time; give \(flag) another directory")
  }

  /// Claims a new directory for a run without `--out`: the path, or the first of `PATH-2`, `PATH-3` and so on that is free.
  ///
  /// - Throws: `UsageError` if it cannot be made.
  package static func claimNew(_ name: String, flag: String) throws -> OwnedDirectory {
    for number in 1...10_000 {
      let path = number == 1 ? name : "\(name)-\(number)"
      guard lstat(path) == nil else { continue }
      // Another process may make it in between.
      guard let directory = try? claim(path, flag: flag), directory.isNew else {
        if lstat(path) == nil { _ = try claim(path, flag: flag) }
        continue
      }
      return directory
    }
    throw UsageError("\(name) is taken, and so are 10,000 names like it; give \(flag) a new directory")
  }

  /// Makes a marked directory of this process's own in another. First those go that killed processes have left there.
  ///
  /// - Parameters:
  ///   - parent: Where; it is made if it is missing, and then goes with the directory.
  ///   - flag: The option that names it, for messages.
  /// - Throws: `UsageError` if it cannot be made.
  package static func temporary(in parent: String, flag: String = "--scratch") throws -> OwnedDirectory {
    let parent = try absolute(parent, flag: flag)
    let made = try claimed(flag) { try makeDirectories(parent) }
    do {
      return try temporary(in: parent, made: made, flag: flag)
    } catch {
      for path in made.reversed() { _ = rmdir(path) }
      throw error
    }
  }

  /// The beginning of a temporary directory's name, before the process's number.
  private static let prefix = ".storage-bench-"

  private static func temporary(in parent: String, made: [String], flag: String) throws -> OwnedDirectory {
    removeLeftovers(in: parent)
    for _ in 0..<8 {
      let number = PathNumber.text(UInt32.random(in: 0 ... .max), digits: 8, radix: 16)
      let path = "\(parent)/\(prefix)\(PathNumber.process)-\(number)"
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
      // Another process may have taken it for a leftover before it was locked.
      guard (try? directory.isLocked(flag: flag)) == true else { continue }
      do {
        try directory.mark()
        Remains.add(directory.path)
      } catch {
        directory.removeAll()
        throw error
      }
      return directory
    }
    throw UsageError("cannot make a directory in \(parent); give \(flag) another directory")
  }

  /// Removes the directories of ``temporary(in:flag:)`` that no process has locked. Only what is marked is emptied.
  private static func removeLeftovers(in parent: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
      let parts = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, Int32(parts[0]) != nil, parts[1].count == 8, parts[1].allSatisfy(\.isHexDigit) else {
        continue
      }
      let path = "\(parent)/\(name)"
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      let directory = OwnedDirectory(path, descriptor, made: [])
      guard (try? directory.isLocked(flag: "")) == true else { continue }
      if directory.mark != nil { directory.removeAll() } else { rmdir(path) }
    }
  }

  /// Sees that a path could be claimed, or written below, without making anything.
  ///
  /// - Throws: `UsageError` naming what is in the way.
  package static func check(_ name: String, flag: String) throws {
    var path = try absolute(name, flag: flag)
    while lstat(path) == nil, path != "/" { path = (path as NSString).deletingLastPathComponent }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
      throw UsageError("\(path) is not a directory; give \(flag) another path")
    }
    guard access(path, W_OK | X_OK) == 0 else {
      throw UsageError("cannot write to \(path); give \(flag) a directory that can be written")
    }
  }

  /// Makes a directory that a user has named for files, with its parents, unless it is there.
  ///
  /// - Throws: ``FileWriteError`` naming what cannot be made, or is in the way.
  package static func make(_ name: String) throws { _ = try makeDirectories(absolute(name, flag: "--out")) }

  /// The absolute path of one that a user has given.
  ///
  /// - Throws: `UsageError` if it is empty, which would mean the working directory.
  package static func absolute(_ name: String, flag: String) throws -> String {
    guard !name.isEmpty else { throw UsageError("\(flag) is empty; give it a path, such as . for this directory") }
    return URL(fileURLWithPath: name).standardizedFileURL.path
  }

  // MARK: - The mark

  /// The text of the mark, which tells directories of one kind apart; nil without a mark.
  package var mark: String? { Self.mark(of: path) }

  /// Whether a directory is marked as this program's own.
  package static func isMarked(_ path: String) -> Bool { mark(of: path) != nil }

  private static func mark(of path: String) -> String? {
    let file = "\(path)/\(Self.marker)"
    guard lstat(file)?.st_mode.isRegularFile == true, let text = try? String(contentsOfFile: file, encoding: .utf8),
      text.hasPrefix(markerHead)
    else { return nil }
    return String(text.dropFirst(markerHead.count))
  }

  /// Marks the directory as this program's own, with everything in it.
  ///
  /// - Parameter text: A text that tells the directory apart from others of its kind.
  /// - Throws: `UsageError` if another file is in its place, ``FileWriteError`` if it cannot be written.
  package func mark(_ text: String = "") throws {
    let file = URL(fileURLWithPath: "\(path)/\(Self.marker)")
    try AtomicFile.write(Self.markerHead + text, to: file) { $0.starts(with: Self.markerHead.utf8) }
  }

  // MARK: - Working in it

  /// Makes a directory in this one, with its parents, unless it is there.
  ///
  /// - Parameter place: Its path, below this directory's.
  /// - Throws: `UsageError` if something else is in its place, ``FileWriteError`` if it cannot be made.
  package func makeDirectory(_ place: String) throws {
    try require(place)
    try Self.makeDirectory(String(place.dropFirst(path.count + 1)), in: path)
  }

  /// Makes a directory below one that is known, unless it is there. Links on the way are not followed.
  ///
  /// - Throws: `UsageError` if something else is in its place, ``FileWriteError`` if it cannot be made.
  package static func makeDirectory(_ name: String, in parent: String) throws {
    var path = parent
    for part in name.split(separator: "/") where part != "." {
      path += "/\(part)"
      guard mkdir(path, 0o777) != 0 else { continue }
      let error = errno
      guard error == EEXIST else { throw FileWriteError(path: path, reason: system(error)) }
      guard lstat(path)?.st_mode.isDirectory == true else {
        throw UsageError("\(path) is there and is no directory of storage-bench's; move it away")
      }
    }
  }

  /// Removes a file, or a directory with everything in it; links are removed, not followed. What cannot be removed stays.
  ///
  /// - Parameter place: Its path, below this directory's; anything else is left alone.
  package func remove(_ place: String) {
    guard (try? require(place)) != nil else { return }
    try? FileManager.default.removeItem(atPath: place)
  }

  /// Moves a directory within this one to a name that is not taken.
  ///
  /// - Throws: Foundation's error if the name is taken, or the directory cannot be moved.
  package func move(_ place: String, to other: String) throws {
    for path in [place, other] { try require(path) }
    try FileManager.default.moveItem(atPath: place, toPath: other)
  }

  /// Lets another process, or another object of this one, claim the directory.
  package func release() { _ = flock(descriptor, LOCK_UN) }

  /// Removes the directory if nothing is in it but its mark, and the parents that were made for it if they are empty.
  package func removeIfEmpty() {
    if mark != nil {
      AtomicFile.removeLeftovers(in: path)
      guard (try? FileManager.default.contentsOfDirectory(atPath: path)) == [Self.marker] else { return }
      unlink("\(path)/\(Self.marker)")
      rmdir(path)
    }
    for path in made.reversed() { _ = rmdir(path) }
  }

  /// Removes the directory with everything in it. Only for one that is marked, or was made by this claim.
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

  private func require(_ place: String) throws {
    guard place.hasPrefix(path + "/"), !place.split(separator: "/").contains("..") else {
      throw UsageError("\(place) is not in \(path), and is left alone")
    }
  }

  /// Whether the lock is had, of the directory that the path still names.
  ///
  /// - Throws: `UsageError` if another process has it.
  private func isLocked(flag: String) throws -> Bool {
    // Some file systems have no locks: there, nothing is refused.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw UsageError(
        "\(path) is in use by another run; wait for its end, or give \(flag) another directory")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink > 0, let there = Self.lstat(path) else { return false }
    return there.st_ino == status.st_ino && there.st_dev == status.st_dev
  }

  /// Makes a directory and its parents.
  ///
  /// - Returns: Those that were not there, the outermost first.
  private static func makeDirectories(_ path: String) throws -> [String] {
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
    var made: [String] = []
    for path in missing.reversed() {
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

  /// Turns a failure to make a directory into a sentence for the user, who can name another one.
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

  /// The status of a path, links not followed; nil if nothing is there.
  package static func lstat(_ path: String) -> stat? {
    var status = stat()
    return Foundation.lstat(path, &status) == 0 ? status : nil
  }
}

extension mode_t {
  package var isDirectory: Bool { self & S_IFMT == S_IFDIR }
  package var isRegularFile: Bool { self & S_IFMT == S_IFREG }
}

/// Numbers in the paths of stores, as long in one run as in another: a character more can be an allocation more in every
/// operation, where a path no longer fits into what was taken for it.
package enum PathNumber {
  /// This process's number: Linux gives none above 4,194,304, see proc(5).
  package static var process: String { text(getpid(), digits: 7) }

  /// A number with zeros before it.
  package static func text(_ number: some BinaryInteger, digits: Int, radix: Int = 10) -> String {
    let text = String(number, radix: radix)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
