/// A record in an engine's memory, not copied. The buffers are valid only inside the closure that received the view;
/// ``record()`` copies them.
@frozen
public struct RecordView {
  /// The record's key.
  public let id: Int64
  /// The record's score: see ``Record/score``.
  public let score: Double
  /// The time of the record's last change, in seconds since 2001-01-01: see ``Record/modified``.
  public let modified: Double
  /// The UTF-8 bytes of the record's name.
  public let name: UnsafeRawBufferPointer
  /// The UTF-8 bytes of the record's group.
  public let group: UnsafeRawBufferPointer
  /// The bytes of the record's payload.
  public let payload: UnsafeRawBufferPointer

  /// Creates a view of a record from buffers that stay valid as long as the view is used.
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

  /// Copies the record from the engine's memory into Swift values: two strings and an array.
  @inlinable
  public func record() -> Record {
    Record(
      id: id, name: String(decoding: name, as: UTF8.self), group: String(decoding: group, as: UTF8.self),
      score: score, modified: modified, payload: [UInt8](payload))
  }
}

/// Returns copies of all records that `scan` passes to its closure.
package func collect(_ scan: ((RecordView) throws -> Bool) throws -> Void) rethrows -> [Record] {
  var records: [Record] = []
  try scan { view in
    records.append(view.record())
    return true
  }
  return records
}

extension Record {
  /// Passes the record to the closure `body` as a ``RecordView``.
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
