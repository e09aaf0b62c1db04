import Foundation

/// A stored record with the links of one or more other records, the owners. For each owner, the payload has these
/// little-endian Int64 numbers:
///
///     owner's key | number of linked keys | linked keys in ascending order
struct LinkRecord {
  let key: Int64
  private(set) var lists: [(owner: Int64, keys: [Int64])] = []

  /// Returns the key of the stored record. Owners whose keys differ only in the upper six bits get the same key.
  static func key(of owner: Int64, by relationship: RelationshipID, _ direction: LinkDirection) -> Int64 {
    owner << 6 | Int64(relationship.index << 1 | direction.rawValue)
  }

  init(key: Int64) { self.key = key }

  init(_ view: RecordView) throws {
    self.init(key: view.id)
    let bytes = view.payload
    var offset = 0
    func next() throws -> Int64 {
      guard offset + 8 <= bytes.count else {
        throw StoreError.damaged(
          "the link record \(view.id), \(bytes.count) bytes long, ends early; "
            + "restore a backup, or make the store again")
      }
      defer { offset += 8 }
      return Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
    }
    while offset < bytes.count {
      let owner = try next()
      let count = try next()
      guard count >= 0, count <= (bytes.count - offset) / 8 else {
        throw StoreError.damaged(
          "the link record \(view.id) cannot hold \(count) keys; restore a backup, or make the store again")
      }
      lists.append((owner, try (0..<count).map { _ in try next() }))
    }
  }

  func keys(of owner: Int64) -> [Int64] { lists.first { $0.owner == owner }?.keys ?? [] }

  mutating func insert(_ key: Int64, for owner: Int64) {
    guard let list = lists.firstIndex(where: { $0.owner == owner }) else {
      lists.append((owner, [key]))
      return
    }
    let index = lists[list].keys.partitioningIndex { $0 >= key }
    if index < lists[list].keys.count, lists[list].keys[index] == key { return }
    lists[list].keys.insert(key, at: index)
  }

  mutating func remove(_ key: Int64, for owner: Int64) {
    guard let list = lists.firstIndex(where: { $0.owner == owner }) else { return }
    let index = lists[list].keys.partitioningIndex { $0 >= key }
    guard index < lists[list].keys.count, lists[list].keys[index] == key else { return }
    lists[list].keys.remove(at: index)
    if lists[list].keys.isEmpty { lists.remove(at: list) }
  }

  mutating func removeAll(of owner: Int64) { lists.removeAll { $0.owner == owner } }

  func change(in collection: CollectionID, name: String) -> Change {
    guard !lists.isEmpty else { return .delete(key, in: collection) }
    var payload: [UInt8] = []
    for (owner, keys) in lists {
      for number in [owner, Int64(keys.count)] + keys {
        withUnsafeBytes(of: number.littleEndian) { payload.append(contentsOf: $0) }
      }
    }
    return .put(Record(id: key, name: name, group: "links", score: 0, modified: 0, payload: payload), in: collection)
  }
}
