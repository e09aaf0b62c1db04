/// The rows of one entity in memory, in the order of their keys.
struct RowTable {
  private var keys: [Int64] = []
  /// Each key's row, or nil where one was deleted, so that a deletion moves nothing, and neither does its rollback.
  private var rows: [Row?] = []
  /// The number of rows.
  private(set) var count = 0

  /// The row of a key, or nil; set to nil, it is deleted.
  subscript(key: Int64) -> Row? {
    get {
      let place = place(of: key)
      return place < keys.count && keys[place] == key ? rows[place] : nil
    }
    set {
      let place = place(of: key)
      let isKnown = place < keys.count && keys[place] == key
      count += (newValue == nil ? 0 : 1) - (isKnown && rows[place] != nil ? 1 : 0)
      if isKnown {
        rows[place] = newValue
      } else if let newValue {
        keys.insert(key, at: place)
        rows.insert(newValue, at: place)
      }
    }
  }

  /// Closes the gaps of deleted rows if they are more than the rows.
  mutating func closeGaps() {
    guard keys.count > 2 * count + 64 else { return }
    keys = map(\.key)
    rows = rows.filter { $0 != nil }
  }

  /// The place of a key, or the one where it would have to be inserted.
  private func place(of key: Int64) -> Int {
    guard let first = keys.first, let last = keys.last, key > first else { return 0 }
    if key > last { return keys.count }
    // Until a gap is closed, keys follow each other.
    let guess = key &- first
    if guess < keys.count, keys[Int(guess)] == key { return Int(guess) }
    var range = 0..<keys.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range = keys[middle] < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}

extension RowTable: Sequence {
  func makeIterator() -> some IteratorProtocol<(key: Int64, row: Row)> {
    zip(keys, rows).lazy.compactMap { key, row in row.map { (key: key, row: $0) } }.makeIterator()
  }

  var underestimatedCount: Int { count }
}

/// The keys that belong to each value: an index of a table in memory, or one direction of its pairs.
struct KeyMap<Value: Hashable> {
  private var keys: [Value: Set<Int64>] = [:]

  /// Adds a key.
  ///
  /// - Returns: Whether it was not there.
  @discardableResult
  mutating func insert(_ key: Int64, for value: Value) -> Bool { keys[value, default: []].insert(key).inserted }

  /// Removes a key.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  mutating func remove(_ key: Int64, for value: Value) -> Bool {
    guard keys[value]?.remove(key) != nil else { return false }
    if keys[value]?.isEmpty == true { keys[value] = nil }
    return true
  }

  /// The keys of a value in their order.
  subscript(value: Value) -> [Int64] { keys[value]?.sorted() ?? [] }

  /// The number of a value's keys.
  func count(of value: Value) -> Int { keys[value]?.count ?? 0 }

  /// The values that have keys.
  var values: some Collection<Value> { keys.keys }
}
