import StorageContract

extension CheckSubject {
  /// Compares a store with the expected content, and records violations. `when` is a part of the message, such as
  /// `after reopening`.
  func compare(_ store: any StorageBackend, _ content: StoreContent, _ when: String) throws {
    for index in content.collections.indices {
      let collection = CollectionID(index)
      let expected = content.records(in: collection)
      let listed = try store.records(.all, in: collection)
      let scanned = try collect { try store.scan(.all, in: collection, $0) }
      compare(listed, expected, "records(_:in:) of collection \(index) \(when)")
      compare(scanned, expected, "a scan of collection \(index) \(when)")
      let count = try store.count(in: collection)
      expect(count == expected.count, "count of collection \(index) \(when) is \(count), not \(expected.count)")
      for record in expected { try compare(store, record, in: collection, when) }
    }
  }

  func compare(_ store: any StorageBackend, _ expected: Record, in collection: CollectionID, _ when: String) throws {
    var lent: Record?
    let isFound = try store.read(expected.id, in: collection) { lent = $0.record() }
    expect(isFound == (lent != nil), "read of record \(expected.id) \(when) says \(isFound) and passes otherwise")
    for (way, found) in [("read", lent), ("record", try store.record(expected.id, in: collection))] {
      if let found {
        if let difference = difference(found, expected) { violate("\(way) \(when): \(difference)") }
      } else {
        violate("\(way) \(when): record \(expected.id) is missing")
      }
    }
  }

  func compare(_ found: [Record], _ expected: [Record], _ what: String) {
    let (keys, expectedKeys) = (found.map(\.id), expected.map(\.id))
    guard keys == expectedKeys else {
      let missing = expectedKeys.filter { !keys.contains($0) }
      let surplus = keys.filter { !expectedKeys.contains($0) }
      let words =
        [("lacks", missing), ("has in excess", surplus)].filter { !$0.1.isEmpty }
        .map { "\($0) \($1.prefix(3).map(String.init).joined(separator: ", "))" }
      return violate("\(what) \(words.isEmpty ? "is not in key order" : words.joined(separator: " and "))")
    }
    for (found, expected) in zip(found, expected) {
      if let difference = difference(found, expected) { violate("\(what): \(difference)") }
    }
  }

  /// Returns a sentence about the different fields of two records; nil if the records are equal. Documented deviations
  /// of the backend are ignored.
  private func difference(_ found: Record, _ expected: Record) -> String? {
    guard !found.isIdentical(to: expected) else { return nil }
    func areSame(_ found: Double, _ expected: Double) -> Bool {
      found.bitPattern == expected.bitPattern
        || (found == 0 && expected == 0 && (backend.deviates(from: .minusZero) || backend.deviates(from: .equalZeros)))
    }
    func areSame(_ found: String, _ expected: String) -> Bool {
      found.hasSameBytes(as: expected) || (found == expected && backend.deviates(from: .equalTexts))
        || (found.utf8.elementsEqual(expected.utf8.prefix { $0 != 0 }) && backend.deviates(from: .cutTexts))
    }
    var fields: [String] = []
    if found.id != expected.id { fields.append("id \(found.id)") }
    if !areSame(found.name, expected.name) { fields.append("name") }
    if !areSame(found.group, expected.group) { fields.append("group") }
    if !areSame(found.score, expected.score) { fields.append("score \(found.score) for \(expected.score)") }
    if !areSame(found.modified, expected.modified) {
      fields.append("modified \(found.modified) for \(expected.modified)")
    }
    if found.payload != expected.payload {
      fields.append("payload of \(Quantity.counted(found.payload.count, "byte"))")
    }
    guard !fields.isEmpty else { return nil }
    let name = "record \(expected.id) '\(expected.group.prefix(20))'"
    return "\(name) comes back with another \(fields.joined(separator: ", "))"
  }
}
