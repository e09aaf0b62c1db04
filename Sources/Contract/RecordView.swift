/// A record as a backend passes it: numbers by value, texts and payload as bytes that still belong to the engine.
///
/// A view needs no allocation. So an engine that can pass its pages (LMDB, SQLite) is measured without a copy that an
/// app may not need.
///
/// - Important: The three buffers are valid only inside the closure that received the view. Keep a ``record()`` to use
///   the values afterwards.
@frozen
public struct RecordView {
  /// The key.
  public let id: Int64
  /// The number to filter and to sum: see ``Record/score``.
  public let score: Double
  /// The time of the last change, in seconds since 2001-01-01: see ``Record/modified``.
  public let modified: Double
  /// UTF-8 bytes of the name.
  public let name: UnsafeRawBufferPointer
  /// UTF-8 bytes of the group.
  public let group: UnsafeRawBufferPointer
  /// The payload's bytes.
  public let payload: UnsafeRawBufferPointer

  /// Creates a view over bytes that outlive it.
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

  /// Copies the view into a record of Swift values: two strings and an array.
  @inlinable
  public func record() -> Record {
    Record(
      id: id, name: String(decoding: name, as: UTF8.self), group: String(decoding: group, as: UTF8.self),
      score: score, modified: modified, payload: [UInt8](payload))
  }
}

extension Record {
  /// Passes this record as a view. The backends that keep Swift values in memory use it.
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
