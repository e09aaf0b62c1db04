/// Which keys belong to a value: an index of a table in memory, or one direction of its pairs.
struct KeyMap<Value: Hashable> {
  /// Most values have one key: that takes no memory of its own.
  private struct Keys {
    var one: Int64?
    var others: Set<Int64> = []

    var isEmpty: Bool { one == nil && others.isEmpty }
    var count: Int { (one == nil ? 0 : 1) + others.count }

    mutating func insert(_ key: Int64) -> Bool {
      guard one != key else { return false }
      guard one == nil, !others.contains(key) else { return others.insert(key).inserted }
      one = key
      return true
    }

    mutating func remove(_ key: Int64) -> Bool {
      guard one == key else { return others.remove(key) != nil }
      one = nil
      return true
    }

    var sorted: [Int64] {
      let first = one.map { [$0] } ?? []
      return others.isEmpty ? first : (first + others).sorted()
    }
  }

  private var keys: [Value: Keys] = [:]

  /// Adds a key.
  ///
  /// - Returns: Whether it was not there.
  @discardableResult
  mutating func insert(_ key: Int64, for value: Value) -> Bool { keys[value, default: Keys()].insert(key) }

  /// Removes a key.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  mutating func remove(_ key: Int64, for value: Value) -> Bool {
    let wasThere = keys[value, default: Keys()].remove(key)
    if keys[value]?.isEmpty == true { keys[value] = nil }
    return wasThere
  }

  /// The keys of a value in their order.
  subscript(value: Value) -> [Int64] { keys[value]?.sorted ?? [] }

  /// Hands over the keys of a value in their order.
  func forEachKey(of value: Value, _ body: (Int64) -> Void) {
    guard let keys = keys[value] else { return }
    if keys.others.isEmpty, let key = keys.one { return body(key) }
    keys.sorted.forEach(body)
  }

  /// Whether a key has a value.
  func contains(_ value: Value) -> Bool { keys[value] != nil }

  /// Whether several keys have a value.
  func isShared(_ value: Value) -> Bool { keys[value].map { $0.count > 1 } ?? false }

  /// The values that have keys.
  var values: some Collection<Value> { keys.keys }
}
