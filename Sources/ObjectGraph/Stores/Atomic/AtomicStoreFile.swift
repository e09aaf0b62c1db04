import Foundation

/// The file of a binary or XML store. A save writes a new file, then replaces the old one, under a lock on the
/// directory.
struct AtomicStoreFile {
  private let calls: FileCalls
  private let path: String
  private let format: PropertyListSerialization.PropertyListFormat
  /// The file's checksum when this process last read or wrote the file. A save fails if another process has changed the
  /// file since.
  private var seen: Data?

  init(at url: URL, _ type: StoreType) {
    // Links are resolved, so that the new file does not replace a link.
    path = StoreLocation(url: url).path
    calls = FileCalls(file: url.lastPathComponent)
    format = type == .xml ? .xml : .binary
  }

  var name: String { calls.file }
  private var directory: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  mutating func load() throws -> StoreContents? {
    guard let bytes = try read() else { return nil }
    seen = Seal.digits(in: bytes)
    return try StorePropertyList.contents(of: bytes, format, file: name)
  }

  /// Returns the contents of the store's file, migrated to `model` if necessary, or nil if the file does not exist.
  ///
  /// - Throws: An error if the options do not allow the migration. A failed migration leaves the file unchanged.
  mutating func load(for model: ManagedObjectModel, _ options: StoreOptions) throws -> StoreContents? {
    guard var stored = try load() else { return nil }
    let isOlder = try options.needsMigration(name, from: stored.model.versionHashes, to: model)
    // An equal model may declare its properties in another order.
    func layout(_ model: ManagedObjectModel) -> [[String]] {
      model.entities.map { $0.columns + SQLiteSchema.joinTables($0).map(\.name) }
    }
    guard isOlder || layout(stored.model) != layout(model) else {
      stored.model = model
      return stored
    }
    let migrated = try stored.migrated(to: model, file: name)
    do {
      if isOlder { try save(migrated, options.synchronous) }
      return migrated
    } catch {
      // Another process may have migrated the file first.
      guard try load()?.model.versionHashes == model.versionHashes else { throw error }
      return try load(for: model, options)
    }
  }

  /// Writes the contents to a new file, which then replaces the old file.
  ///
  /// - Throws: ``ObjectGraphError``. The file then has either the old or the new contents, never a mixture.
  mutating func save(_ contents: StoreContents, _ synchronous: StoreOptions.Synchronous) throws {
    let bytes = try StorePropertyList(contents).encoded(format)
    let newPath = "\(directory)/.\(URL(fileURLWithPath: path).lastPathComponent).new"
    let descriptor = try calls.retrying("its directory cannot be opened") { open(directory, O_RDONLY | O_CLOEXEC) }
    // The directory is closed last, because that also releases the lock.
    defer { close(descriptor) }
    try calls.retrying("its directory cannot be locked") { flock(descriptor, LOCK_EX) }
    let mode = try modeOfUnchanged()
    let file = try calls.retrying("cannot be written beside") {
      open(newPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }
    defer { close(file) }
    do {
      if let mode { try calls.retrying("cannot be given the permissions of the old one") { fchmod(file, mode) } }
      try calls.write(bytes, to: file, "cannot be written")
      if synchronous != .off { try calls.retrying("cannot be flushed") { fsync(file) } }
      try calls.retrying("cannot take the place of the old one") { rename(newPath, path) }
    } catch {
      unlink(newPath)
      throw error
    }
    seen = Seal.digits(in: bytes)
    if synchronous == .full {
      try calls.retrying("is written, but its directory cannot be flushed") { fsync(descriptor) }
    }
  }

  private func read() throws -> Data? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == ENOENT else { throw calls.error("cannot be opened") }
      guard access(directory, F_OK) == 0 else { throw calls.error("its directory cannot be used") }
      return nil
    }
    defer { close(file) }
    do {
      return try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data()
    } catch {
      throw ObjectGraphError.store(file: name, "cannot be read: \(error.localizedDescription)")
    }
  }

  /// Returns the permissions of the file, or nil if the file does not exist.
  ///
  /// - Throws: ``ObjectGraphError`` if the file is write-protected, or if another process has changed it.
  private func modeOfUnchanged() throws -> mode_t? {
    // Without a file, no changes of another process can be overwritten.
    guard let bytes = try read() else { return nil }
    guard let digits = Seal.digits(in: bytes), digits == seen else {
      throw ObjectGraphError.store(
        file: name,
        "somebody else has written it since it was opened here; "
          + "remove the store from the coordinator, add it again, and save again; contexts keep their unsaved changes")
    }
    guard access(path, W_OK) == 0 else { throw calls.error("it is write-protected") }
    var status = stat()
    try calls.retrying("cannot be examined") { stat(path, &status) }
    return status.st_mode & 0o777
  }
}
