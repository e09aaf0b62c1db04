import StorageContract

/// Groups of records. A write changes all records of one group, and a reader must see all or none of these changes.
struct RecordGroups: Sendable {
  /// The source of the records before the first write.
  let source: any RecordSource
  let seed: UInt64
  /// The maximum number of records in a group. The records have distant keys, to be on different pages of the file.
  let size: Int
  /// The modification times of the records before the first write, by index.
  private let times: [Double]

  init(source: any RecordSource, seed: UInt64, size: Int) {
    self.source = source
    self.seed = seed
    self.size = size
    times = (0..<source.count).map { source.record(at: $0).modified }
  }

  var count: Int { max(1, source.count / size) }

  /// Returns the indices of the first `most` records of a group. An index counts all records in key order, from 0.
  func indices(of group: Int, most: Int = .max) -> [Int] {
    (0..<min(size, most)).map { group + $0 * count }.filter { $0 < source.count }
  }

  /// Returns the number of the group that contains the record at an index in key order, or nil if no group does.
  func group(of index: Int) -> Int? { index < size * count ? index % count : nil }

  /// Returns the number of the group, chosen at random, that write number `write` changes.
  func written(_ write: Int) -> Int {
    var random = RandomStream(seed: seed, .key, write)
    return random.below(count)
  }

  /// Returns the number of the group, chosen at random, that read number `read` reads.
  func read(_ read: Int) -> Int {
    var random = RandomStream(seed: seed, .order, read)
    return random.below(count)
  }

  /// Returns the index in key order of the only record that read number `read` reads, chosen at random.
  func index(ofRead read: Int) -> Int {
    var random = RandomStream(seed: seed, .order, read)
    return random.below(source.count)
  }

  func records(_ group: Int, after write: Int) -> [Record] { indices(of: group).map { record(at: $0, after: write) } }

  /// Returns the record at an index in key order after write number `write`, or the initial record if `write` is nil.
  func record(at index: Int, after write: Int?) -> Record {
    var record = source.record(at: index)
    guard let write else { return record }
    var random = RandomStream(seed: seed, .change, write * size + index / count)
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(write + 1)
    return record
  }

  /// Returns the number of the last write to a record, or nil. Write n adds n + 1 seconds to the initial modification
  /// time.
  func write(of record: Record, at index: Int) -> Int? {
    let number = (record.modified - times[index]).rounded()
    return number >= 1 && number < 1e15 ? Int(number) - 1 : nil
  }
}
