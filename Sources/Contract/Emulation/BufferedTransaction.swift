/// A transaction that keeps its changes in memory until the transaction ends. Reads of the transaction see the changes.
final class BufferedTransaction: StoreTransaction {
  private let store: any StorageBackend
  private var pending: [CollectionID: [Int64: Record?]] = [:]
  /// The changed records in the order of their first change, so that every run commits the same batch.
  private var order: [RecordPlace] = []
  private var scans: [CollectionID: Int] = [:]
  private var hasEnded = false

  init(over store: any StorageBackend) { self.store = store }

  var changes: [Change] {
    order.compactMap { place in
      guard let change = pending[place.collection]?[place.key] else { return nil }
      return change.map { .put($0, in: place.collection) } ?? .delete(place.key, in: place.collection)
    }
  }

  func end() { hasEnded = true }

  private func requireOpen() throws {
    if hasEnded { throw StoreError.failed("the transaction has ended; it is valid only inside its block") }
  }

  func apply(_ change: Change) throws {
    try requireOpen()
    let (key, collection) = (change.record.id, change.collection)
    guard scans[collection, default: 0] == 0 else { throw StoreError.changeInsideScan(of: collection) }
    let record = change.isDelete ? nil : change.record
    if pending[collection, default: [:]].updateValue(record, forKey: key) == nil {
      order.append(RecordPlace(collection: collection, key: key))
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try requireOpen()
    guard let change = pending[collection]?[key] else { return try store.read(key, in: collection, body) }
    guard let record = change else { return false }
    try record.withView(body)
    return true
  }

  func count(in collection: CollectionID) throws -> Int {
    try requireOpen()
    var count = try store.count(in: collection)
    for (key, change) in pending[collection] ?? [:] {
      let existed = try store.read(key, in: collection) { _ in }
      count += (change == nil ? 0 : 1) - (existed ? 1 : 0)
    }
    return count
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try requireOpen()
    scans[collection, default: 0] += 1
    defer { scans[collection, default: 0] -= 1 }
    let held = (pending[collection] ?? [:]).filter { keys.contains($0.key) }.sorted { $0.key < $1.key }
    guard !held.isEmpty else { return try store.scan(keys, in: collection, body) }

    // Two scans in key order are merged. If both scans have a key, the buffered change counts.
    var next = 0
    var goesOn = true
    func passHeld(through key: Int64) throws {
      while goesOn, next < held.count, held[next].key <= key {
        if let record = held[next].value { goesOn = try record.withView(body) }
        next += 1
      }
    }
    try store.scan(keys, in: collection) { view in
      try passHeld(through: view.id)
      if goesOn, next == 0 || held[next - 1].key != view.id { goesOn = try body(view) }
      return goesOn
    }
    try passHeld(through: .max)
  }
}
