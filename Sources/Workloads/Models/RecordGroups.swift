import StorageContract

/// Groups of records. A write changes all records of one group. So a reader must never see parts of two writes.
struct RecordGroups: Sendable {
  /// The records before the first write.
  let source: any RecordSource
  let seed: UInt64
  /// The maximum number of records in a group. Records of a group have distant keys, so they are on different pages.
  let size: Int
  /// The modification times of the records before the first write.
  private let times: [Double]

  init(source: any RecordSource, seed: UInt64, size: Int) {
    self.source = source
    self.seed = seed
    self.size = size
    times = (0..<source.count).map { source.record(at: $0).modified }
  }

  var count: Int { max(1, source.count / size) }

  /// Returns the indices, in the source, of a group's records, or of the first `most` of them.
  func indices(of group: Int, most: Int = .max) -> [Int] {
    (0..<min(size, most)).map { group + $0 * count }.filter { $0 < source.count }
  }

  /// Returns the number of the group of the record at an index of the source, or nil if no write changes the record.
  func group(of index: Int) -> Int? { index < size * count ? index % count : nil }

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

  /// Returns the index, in the source, of the record that a read of one record uses. Reads are numbered from 0.
  func index(ofRead read: Int) -> Int {
    var random = RandomStream(seed: seed, .order, read)
    return random.below(source.count)
  }

  /// Returns a group's records after a write that changed the group.
  func records(_ group: Int, after write: Int) -> [Record] { indices(of: group).map { record(at: $0, after: write) } }

  /// Returns the record at an index of the source after a write that changed it, or the initial record if `write` is
  /// nil.
  func record(at index: Int, after write: Int?) -> Record {
    var record = source.record(at: index)
    guard let write else { return record }
    var random = RandomStream(seed: seed, .change, write * size + index / count)
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(write + 1)
    return record
  }

  /// Returns the number of the write that last changed a record, or nil for none. The modification time contains the
  /// number.
  ///
  /// - Parameter index: The record's index in the source.
  func write(of record: Record, at index: Int) -> Int? {
    let number = (record.modified - times[index]).rounded()
    return number >= 1 && number < 1e15 ? Int(number) - 1 : nil
  }
}
