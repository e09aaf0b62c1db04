import Foundation

/// An emulation of schema changes, which reads and writes all records. Added attributes are stored behind the payloads.
struct MigrationEmulation: Migrating {
  let store: any StorageBackend

  func change(_ change: SchemaChange, in collection: CollectionID) throws {
    var (moved, changes): ([Change], [Change]) = ([], [])
    try store.scan(.all, in: collection) { view in
      var (payload, attributes) = AttributedPayload.split(view.payload)
      guard !change.isMade(Set(attributes.keys)) else { return true }
      switch change {
      case .add(let attribute): attributes[attribute.name] = attribute.defaultValue
      case .rename(let old, let new): attributes[new.name] = attributes.removeValue(forKey: old.name)
      case .drop(let attribute, _): attributes[attribute.name] = nil
      case .split(let other):
        guard !payload.isEmpty else { return true }
        let part = Record(id: view.id, name: "", group: "", score: 0, modified: 0, payload: [UInt8](payload))
        moved.append(.put(part, in: other))
        payload = UnsafeRawBufferPointer(start: nil, count: 0)
      }
      var record = view.record()
      record.payload = AttributedPayload.joined(payload, attributes)
      changes.append(.put(record, in: collection))
      return true
    }
    if !changes.isEmpty { try store.commit(moved + changes) }
  }

  func attributes(in collection: CollectionID) throws -> Set<String> {
    var names: Set<String> = []
    try store.scan(.all, in: collection) { view in
      names.formUnion(AttributedPayload.split(view.payload).attributes.keys)
      return true
    }
    return names
  }

  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws {
    try store.scan(keys, in: collection) { view in
      let (payload, attributes) = AttributedPayload.split(view.payload)
      let own = RecordView(
        id: view.id, score: view.score, modified: view.modified, name: view.name, group: view.group,
        payload: payload)
      return try body(own, attributes[attribute.name] ?? attribute.defaultValue)
    }
  }

  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws -> Bool {
    guard var record = try store.record(key, in: collection) else { return false }
    record.payload = record.payload.withUnsafeBytes { bytes in
      let (payload, attributes) = AttributedPayload.split(bytes)
      return AttributedPayload.joined(payload, attributes.merging([attribute.name: value], uniquingKeysWith: { $1 }))
    }
    try store.commit([.put(record, in: collection)])
    return true
  }
}

extension StorageBackend {
  /// Makes a schema change by reading and writing every record.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  public func changeRecords(by change: SchemaChange, in collection: CollectionID) throws {
    try MigrationEmulation(store: self).change(change, in: collection)
  }
}

/// A record's payload, followed by the attributes that schema changes have added. Each attribute ends with a constant
/// mark, and its numbers are little endian:
///
///     value (UTF-8) | name (UTF-8) | length of value (UInt32) | length of name (UInt32) | mark (UInt64)
enum AttributedPayload {
  private static let mark: UInt64 = 0x9E61_7A3C_D2B5_48F7
  private static let trailer = 16

  static func joined(_ payload: UnsafeRawBufferPointer, _ attributes: [String: String]) -> [UInt8] {
    var bytes = [UInt8](payload)
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      bytes.append(contentsOf: value.utf8)
      bytes.append(contentsOf: name.utf8)
      for length in [value.utf8.count, name.utf8.count] {
        withUnsafeBytes(of: UInt32(length).littleEndian) { bytes.append(contentsOf: $0) }
      }
      withUnsafeBytes(of: mark.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  static func split(
    _ bytes: UnsafeRawBufferPointer
  ) -> (payload: UnsafeRawBufferPointer, attributes: [String: String]) {
    var rest = bytes
    var attributes: [String: String] = [:]
    while rest.count >= trailer {
      let end = rest.count - trailer
      guard UInt64(littleEndian: rest.loadUnaligned(fromByteOffset: end + 8, as: UInt64.self)) == mark else {
        break
      }
      let value = Int(UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: end, as: UInt32.self)))
      let name = Int(UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: end + 4, as: UInt32.self)))
      let start = end - name - value
      guard start >= 0 else { break }
      let key = String(decoding: rest[(start + value)..<end], as: UTF8.self)
      attributes[key] = String(decoding: rest[start..<(start + value)], as: UTF8.self)
      rest = UnsafeRawBufferPointer(rebasing: rest[..<start])
    }
    return (rest, attributes)
  }
}
