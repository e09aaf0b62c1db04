import StorageContract

/// Records that are always changed together: what a reader sees of a group must all be of the same write.
struct RecordGroups: Sendable {
  /// The store's content at the start.
  let source: any RecordSource
  let seed: UInt64
  /// When the records were changed last, at the start.
  private let times: [Double]

  init(source: any RecordSource, seed: UInt64) {
    self.source = source
    self.seed = seed
    times = (0..<source.count).map { source.record(at: $0).modified }
  }

  /// The records of a group, or all where there are fewer. They are spread over the store, to lie on different pages.
  static let size = 4

  /// The number of groups.
  var count: Int { max(1, source.count / Self.size) }

  /// Returns the places of a group's records.
  func places(_ group: Int) -> [Int] {
    (0..<Self.size).map { group + $0 * count }.filter { $0 < source.count }
  }

  /// Returns the group that a write changes, by the number of the write.
  func written(_ write: Int) -> Int {
    var random = RandomStream(seed: seed, .key, write)
    return random.below(count)
  }

  /// Returns the group that a read looks at, by the number of the read.
  func read(_ read: Int) -> Int {
    var random = RandomStream(seed: seed, .order, read)
    return random.below(count)
  }

  /// Returns the records of a group after a write, or, without one, as they were at the start.
  func records(_ group: Int, after write: Int?) -> [Record] {
    places(group).map { place in
      var record = source.record(at: place)
      guard let write else { return record }
      var random = RandomStream(seed: seed, .change, write * Self.size + place / count)
      record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
      record.modified += Double(write + 1)
      return record
    }
  }

  /// Returns the write that changed a record, from its modification time. Nil if none did.
  func write(of record: Record, at place: Int) -> Int? {
    let number = (record.modified - times[place]).rounded()
    return number >= 1 && number < 1e15 ? Int(number) - 1 : nil
  }
}
