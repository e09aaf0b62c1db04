import StorageContract

/// Groups of records that are always changed together. A reader must see all of a group as one write left it.
struct RecordGroups: Sendable {
  /// The store's content at the start.
  let source: any RecordSource
  let seed: UInt64
  /// The modification times of the records at the start.
  private let times: [Double]

  init(source: any RecordSource, seed: UInt64) {
    self.source = source
    self.seed = seed
    times = (0..<source.count).map { source.record(at: $0).modified }
  }

  /// The number of records in a group, or all if there are fewer. A group is spread over different pages of the store.
  static let size = 4

  var count: Int { max(1, source.count / Self.size) }

  func places(_ group: Int) -> [Int] {
    (0..<Self.size).map { group + $0 * count }.filter { $0 < source.count }
  }

  /// Returns the group that a write changes, given the write's number.
  func written(_ write: Int) -> Int {
    var random = RandomStream(seed: seed, .key, write)
    return random.below(count)
  }

  /// Returns the group that a read uses, given the read's number.
  func read(_ read: Int) -> Int {
    var random = RandomStream(seed: seed, .order, read)
    return random.below(count)
  }

  /// Returns the records of a group after a write, or at the start if `write` is nil.
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

  /// Returns the number of the write that changed a record, from its modification time; nil if there is none.
  func write(of record: Record, at place: Int) -> Int? {
    let number = (record.modified - times[place]).rounded()
    return number >= 1 && number < 1e15 ? Int(number) - 1 : nil
  }
}
