/// A record in an engine's memory: numbers as copies, texts and payload as buffers of bytes that the engine owns. A
/// view needs no allocation. If the buffers can point into the engine's pages (LMDB, SQLite), a measured read contains
/// no copy of the texts and the payload.
///
/// - Important: The three buffers are valid only inside the closure that received the view. To use the values
///   afterwards, copy them by ``record()``.
@frozen
public struct RecordView {
  /// The record's key.
  public let id: Int64
  /// The number by which workloads filter and sum records: see ``Record/score``.
  public let score: Double
  /// The time of the record's last change, in seconds since 2001-01-01: see ``Record/modified``.
  public let modified: Double
  /// The UTF-8 bytes of the record's name.
  public let name: UnsafeRawBufferPointer
  /// The UTF-8 bytes of the record's group.
  public let group: UnsafeRawBufferPointer
  /// The bytes of the record's payload.
  public let payload: UnsafeRawBufferPointer

  /// Creates a view of a record over bytes that must stay valid as long as the view is used.
  @inlinable
  public init(
    id: Int64, score: Double, modified: Double,
    name: UnsafeRawBufferPointer, group: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer
  ) {
    self.id = id
    self.score = score
    self.modified = modified
    self.name = name
    self.group = group
    self.payload = payload
  }

  /// Copies the viewed record into Swift values: two strings and an array.
  @inlinable
  public func record() -> Record {
    Record(
      id: id, name: String(decoding: name, as: UTF8.self), group: String(decoding: group, as: UTF8.self),
      score: score, modified: modified, payload: [UInt8](payload))
  }
}

extension Record {
  /// Passes the record to the body as a ``RecordView``. Backends that keep Swift records in memory use this method.
  @inlinable
  public func withView<Result>(_ body: (RecordView) throws -> Result) rethrows -> Result {
    var name = self.name
    var group = self.group
    return try name.withUTF8 { name in
      try group.withUTF8 { group in
        try payload.withUnsafeBytes { payload in
          try body(
            RecordView(
              id: id, score: score, modified: modified, name: UnsafeRawBufferPointer(name),
              group: UnsafeRawBufferPointer(group), payload: payload))
        }
      }
    }
  }
}
