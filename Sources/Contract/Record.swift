import Foundation

/// A record, the unit of data of every backend and workload, with the fields of a typical model object in an app.
public struct Record: Equatable, Sendable {
  /// The record's key, which is unique within a collection. Scans return records in the order of the keys.
  public var id: Int64
  /// The record's name, a text that workloads search.
  public var name: String
  /// The text by which workloads group records, as in the sections of a list. A store has about one group for every 20
  /// records.
  public var group: String
  /// The number by which workloads filter records, and which they add up.
  public var score: Double
  /// The time of the record's last change, in seconds since 2001-01-01 00:00 UTC (Foundation's reference date).
  public var modified: Double
  /// Further bytes of the record. The type is not `Data`, because each access to a byte of `Data` costs a check of
  /// about 15 ns.
  public var payload: [UInt8]

  /// Creates a record from its fields.
  @inlinable
  public init(id: Int64, name: String, group: String, score: Double, modified: Double, payload: [UInt8]) {
    self.id = id
    self.name = name
    self.group = group
    self.score = score
    self.modified = modified
    self.payload = payload
  }

  /// The size of the content in bytes, without the engine's overhead: 24 for key, score and time, plus the texts and
  /// the payload.
  @inlinable public var logicalSize: Int { 24 + name.utf8.count + group.utf8.count + payload.count }

  /// Returns whether all fields of two records have the same bits. Unlike with `==`, 0 and -0 differ, and NaN is
  /// identical to itself.
  public func isIdentical(to other: Record) -> Bool {
    id == other.id && score.bitPattern == other.score.bitPattern
      && modified.bitPattern == other.modified.bitPattern
      && payload.withUnsafeBytes { bytes in other.payload.withUnsafeBytes { bytes.hasSameBytes(as: $0) } }
      && name.hasSameBytes(as: other.name) && group.hasSameBytes(as: other.group)
  }

  /// Returns whether all fields of the record have the same bits as in a ``RecordView``.
  public func isIdentical(to view: RecordView) -> Bool {
    id == view.id && score.bitPattern == view.score.bitPattern && modified.bitPattern == view.modified.bitPattern
      && payload.withUnsafeBytes { $0.hasSameBytes(as: view.payload) }
      && name.withLentUTF8 { UnsafeRawBufferPointer($0).hasSameBytes(as: view.name) }
      && group.withLentUTF8 { UnsafeRawBufferPointer($0).hasSameBytes(as: view.group) }
  }
}

extension Record: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, name, group, score, modified, payload
  }

  /// Writes each field under its name. The payload is written as `Data`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(group, forKey: .group)
    try container.encode(score, forKey: .score)
    try container.encode(modified, forKey: .modified)
    try container.encode(Data(payload), forKey: .payload)
  }

  /// Reads a record from the output of ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(Int64.self, forKey: .id), name: try container.decode(String.self, forKey: .name),
      group: try container.decode(String.self, forKey: .group),
      score: try container.decode(Double.self, forKey: .score),
      modified: try container.decode(Double.self, forKey: .modified),
      payload: [UInt8](try container.decode(Data.self, forKey: .payload)))
  }
}

/// The collection and the key of a record.
package struct RecordPlace: Hashable {
  package let collection: CollectionID
  package let key: Int64

  package init(collection: CollectionID, key: Int64) { (self.collection, self.key) = (collection, key) }
}

extension String {
  /// Returns whether two strings have the same UTF-8 bytes. Unlike with `==`, an é of one Unicode scalar differs from
  /// an é of two.
  public func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && ExactText.compare(self, other) == 0
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    count == other.count && ExactText.compare(self, other) == 0
  }
}
