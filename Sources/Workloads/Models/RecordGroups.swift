import StorageContract

/// Groups of records. A write changes all records of one group. So a reader must never see parts of two writes.
struct RecordGroups: Sendable {
  /// The records before the first write.
  let source: any RecordSource
  let seed: UInt64
  /// The modification times of the records before the first write.
  private let times: [Double]

  init(source: any RecordSource, seed: UInt64) {
    self.source = source
    self.seed = seed
    times = (0..<source.count).map { source.record(at: $0).modified }
  }

  /// The maximum number of records in a group. Records of a group have distant keys, so they are on different pages.
  static let size = 4

  var count: Int { max(1, source.count / Self.size) }

  func places(_ group: Int) -> [Int] {
    (0..<Self.size).map { group + $0 * count }.filter { $0 < source.count }
  }

  /// Returns the number of the group that a write changes. Writes are numbered from 0.
  func written(_ write: Int) -> Int {
    var random = RandomStream(seed: seed, .key, write)
    return random.below(count)
  }

  /// Returns the number of the group that a read uses. Reads are numbered from 0.
  func read(_ read: Int) -> Int {
    var random = RandomStream(seed: seed, .order, read)
    return random.below(count)
  }

  /// Returns a group's records after a write that changed the group, or the initial records if `write` is nil.
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

  /// Returns the number of the write that last changed a record, known from the modification time, or nil for none.
  func write(of record: Record, at place: Int) -> Int? {
    let number = (record.modified - times[place]).rounded()
    return number >= 1 && number < 1e15 ? Int(number) - 1 : nil
  }
}
