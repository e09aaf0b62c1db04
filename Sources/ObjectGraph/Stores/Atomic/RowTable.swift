/// The rows of one entity in memory, in the order of their keys.
struct RowTable {
  private var keys: [Int64] = []
  /// nil where a row was deleted, so that a deletion moves nothing, and neither does taking it back.
  private var rows: [Row?] = []
  /// The number of rows.
  private(set) var count = 0
  /// How many rows were ever moved to make room or to close gaps: what could make many changes slow.
  private(set) var moves = 0

  /// An empty table.
  init() {}

  /// Makes room for rows that are about to be appended.
  mutating func reserve(_ count: Int) {
    keys.reserveCapacity(count)
    rows.reserveCapacity(count)
  }

  /// The row of a key, or nil; set to nil, it is deleted.
  subscript(key: Int64) -> Row? {
    get {
      let place = place(of: key)
      return place < keys.count && keys[place] == key ? rows[place] : nil
    }
    set {
      if let newValue { put(newValue, key) } else { remove(key) }
    }
  }

  private mutating func put(_ row: Row, _ key: Int64) {
    let place = place(of: key)
    if place == keys.count {
      keys.append(key)
      rows.append(row)
      count += 1
    } else if keys[place] == key {
      if rows[place] == nil { count += 1 }
      rows[place] = row
    } else {
      moves += keys.count - place
      keys.insert(key, at: place)
      rows.insert(row, at: place)
      count += 1
    }
  }

  private mutating func remove(_ key: Int64) {
    let place = place(of: key)
    guard place < keys.count, keys[place] == key, rows[place] != nil else { return }
    rows[place] = nil
    count -= 1
  }

  /// Closes the gaps of deleted rows if they are more than the rows.
  mutating func closeGaps() {
    guard keys.count > 2 * count + 64 else { return }
    moves += count
    keys = keys.indices.filter { rows[$0] != nil }.map { keys[$0] }
    rows = rows.filter { $0 != nil }
  }

  /// Puts many rows among those that are there, which have other keys; each row is moved once at most.
  mutating func insert(_ others: [Int64: Row]) {
    guard !others.isEmpty else { return }
    let all = (Array(self) + others.map { ($0.key, $0.value) }).sorted { $0.key < $1.key }
    moves += all.count
    keys = all.map(\.key)
    rows = all.map(\.row)
    count = all.count
  }

  /// The place of a key, or the one where it would have to be inserted.
  private func place(of key: Int64) -> Int {
    guard let first = keys.first, key > first else { return 0 }
    // As long as no gap was closed, keys stand one behind the other.
    let guess = key &- first
    if guess < keys.count {
      if keys[Int(guess)] == key { return Int(guess) }
    } else if let last = keys.last, key > last {
      return keys.count
    }
    var range = 0..<keys.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range = keys[middle] < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}

extension RowTable: Sequence {
  /// The rows with their keys, in order.
  struct Iterator: IteratorProtocol {
    fileprivate let keys: [Int64]
    fileprivate let rows: [Row?]
    fileprivate var place = 0

    mutating func next() -> (key: Int64, row: Row)? {
      while place < keys.count {
        defer { place += 1 }
        if let row = rows[place] { return (keys[place], row) }
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(keys: keys, rows: rows) }

  var underestimatedCount: Int { count }

  /// The rows, changed one by one.
  func mapRows(_ transform: (Row) throws -> Row) rethrows -> RowTable {
    var table = self
    for place in rows.indices { table.rows[place] = try rows[place].map(transform) }
    return table
  }
}
