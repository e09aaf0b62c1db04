import StorageContract

/// The records of one collection in memory: a dictionary by key, and the keys in ascending order for scans.
struct RecordTable {
  private(set) var records: [Int64: Record] = [:]
  private var order = KeyOrder()

  init() {}

  init(_ list: [Record], in collection: String) throws {
    records.reserveCapacity(list.count)
    order.reserveCapacity(list.count)
    for record in list where put(record) != nil {
      throw StoreError.damaged("two records of '\(collection)' have the key \(record.id)")
    }
  }

  mutating func put(_ record: Record) -> Record? {
    let old = records.updateValue(record, forKey: record.id)
    if old == nil { order.insert(record.id) }
    return old
  }

  mutating func remove(_ key: Int64) -> Record? {
    guard let old = records.removeValue(forKey: key) else { return nil }
    order.remove(key)
    return old
  }

  mutating func sortedKeys(in range: ClosedRange<Int64>) -> ArraySlice<Int64> { order.keys(in: range) }
}

struct RecordTables {
  private var tables: [RecordTable]

  /// The data for undoing a commit: the old record of each changed key. `old` is nil if the commit added the record.
  typealias Undo = [(collection: Int, key: Int64, old: Record?)]

  init(count: Int) { tables = Array(repeating: RecordTable(), count: count) }

  init(_ lists: [[Record]], _ collections: [String]) throws {
    tables = try zip(lists, collections).map { try RecordTable($0, in: $1) }
  }

  /// Applies changes in order, and returns the data for undoing them. After an error, nothing has changed.
  mutating func apply(_ changes: [Change]) throws -> Undo {
    var undo: Undo = []
    undo.reserveCapacity(changes.count)
    do {
      for change in changes {
        let (index, key) = (try change.collection.checked(tables.count), change.record.id)
        if !change.isDelete {
          undo.append((index, key, tables[index].put(change.record)))
        } else if let old = tables[index].remove(key) {
          undo.append((index, key, old))
        }
      }
    } catch {
      revert(undo)
      throw error
    }
    return undo
  }

  mutating func revert(_ undo: Undo) {
    for (collection, key, old) in undo.reversed() {
      if let old {
        _ = tables[collection].put(old)
      } else {
        _ = tables[collection].remove(key)
      }
    }
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try tables[collection.checked(tables.count)].records[key]
  }

  mutating func records(_ range: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record] {
    let index = try collection.checked(tables.count)
    return tables[index].sortedKeys(in: range).compactMap { tables[index].records[$0] }
  }

  mutating func snapshot(
    _ range: ClosedRange<Int64>, in collection: CollectionID
  ) throws -> (keys: ArraySlice<Int64>, records: [Int64: Record]) {
    let index = try collection.checked(tables.count)
    return (tables[index].sortedKeys(in: range), tables[index].records)
  }

  func count(in collection: CollectionID) throws -> Int { try tables[collection.checked(tables.count)].records.count }

  /// Returns the records whose keys satisfy the condition `isIncluded`, as one array per collection, in key order.
  mutating func sortedRecords(where isIncluded: (Int64) -> Bool = { _ in true }) -> [[Record]] {
    tables.indices.map { index in
      tables[index].sortedKeys(in: .all).compactMap { isIncluded($0) ? tables[index].records[$0] : nil }
    }
  }
}

/// A backend whose engine returns each record as a Swift value: ``StorageBackend/read(_:in:_:)`` calls
/// ``StorageBackend/record(_:in:)``.
protocol RecordBackend: StorageBackend {}

extension RecordBackend {
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = try record(key, in: collection) else { return false }
    try record.withView(body)
    return true
  }
}

/// The keys of one collection of records, from which a scan reads a range in ascending order.
struct KeyOrder {
  /// The keys without duplicates. Sorting waits for a scan or a removal, because sorting at each insertion is slower.
  private var keys: [Int64] = []
  private var isSorted = true

  var count: Int { keys.count }

  mutating func reserveCapacity(_ count: Int) { keys.reserveCapacity(count) }

  /// Adds a key, which must not be in the collection yet.
  mutating func insert(_ key: Int64) {
    if isSorted, let last = keys.last, last > key { isSorted = false }
    keys.append(key)
  }

  mutating func remove(_ key: Int64) {
    sort()
    keys.remove(at: keys.partitioningIndex { $0 >= key })
  }

  mutating func keys(in range: ClosedRange<Int64>) -> ArraySlice<Int64> {
    sort()
    let start = keys.partitioningIndex { $0 >= range.lowerBound }
    return keys[start..<keys.partitioningIndex { $0 > range.upperBound }]
  }

  private mutating func sort() {
    guard !isSorted else { return }
    keys.sort()
    isSorted = true
  }
}
