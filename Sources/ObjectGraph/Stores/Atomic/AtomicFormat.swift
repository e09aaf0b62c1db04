/// How the file of a store that is written whole looks. A format is one conformer.
protocol AtomicFormat: Sendable {
  /// What ``PersistentStore/settings`` calls it.
  var name: String { get }

  /// Appends all that a store holds.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` for what the format cannot hold.
  func encode(_ contents: StoreContents, into buffer: inout ByteBuffer, file: String) throws

  /// The way back.
  ///
  /// - Throws: ``ObjectGraphError/damaged(file:_:)``.
  func decode(_ bytes: UnsafeRawBufferPointer, file: String) throws -> StoreContents
}

/// A file in a format: all of a store, read and written at once.
struct StoreFile {
  let format: any AtomicFormat
  private var file: AtomicStoreFile
  /// The last one's size, which is about the next one's.
  private var size = 0

  init(_ file: AtomicStoreFile, _ format: any AtomicFormat) {
    self.file = file
    self.format = format
  }

  /// The file's name, for messages.
  var name: String { file.name }

  /// All that is in the file, or nil if there is none.
  ///
  /// - Throws: ``ObjectGraphError``.
  mutating func load() throws -> StoreContents? {
    guard let bytes = try file.read() else { return nil }
    size = bytes.count
    let (format, name) = (format, file.name)
    return try bytes.withBytes { try format.decode($0, file: name) }
  }

  /// Replaces the file. After an error it is the old one.
  ///
  /// - Throws: ``ObjectGraphError``.
  mutating func save(_ contents: StoreContents, _ synchronous: StoreOptions.Synchronous) throws {
    var buffer = ByteBuffer(capacity: size + size / 8 + 4_096)
    try format.encode(contents, into: &buffer, file: file.name)
    try file.replace(with: buffer, synchronous)
    size = buffer.count
  }
}
