import StorageContract

/// Groups of records. A write changes all records of one group, and a reader must see all or none of these changes.
struct RecordGroups: Sendable {
  /// The source of the records before the first write.
  let source: any RecordSource
  let seed: UInt64
  /// The maximum number of records in a group. A write changes all records of one group together. The records of a
  /// group have distant keys, so that they are on different pages of the store's file.
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

  /// Returns the indices of the first `most` records of a group. Each index is the position of a record among all
  /// records of the store, from 0, in key order.
  func indices(of group: Int, most: Int = .max) -> [Int] {
    (0..<min(size, most)).map { group + $0 * count }.filter { $0 < source.count }
  }

  /// Returns the number of the group to which the record at an index belongs, or nil if the record is in no group. The
  /// index counts all records in key order, from 0.
  func group(of index: Int) -> Int? { index < size * count ? index % count : nil }

  /// Returns the index, from 0, of the group of records for write number `write`. The group is chosen at random. The
  /// write changes all records of the group.
  func written(_ write: Int) -> Int {
    var random = RandomStream(seed: seed, .key, write)
    return random.below(count)
  }

  /// Returns the index, from 0, of the group of records for read number `read`. The group is chosen at random.
  func read(_ read: Int) -> Int {
    var random = RandomStream(seed: seed, .order, read)
    return random.below(count)
  }

  /// Returns the position of a random record among all records in key order, from 0. The read with number `read` reads
  /// only this record.
  func index(ofRead read: Int) -> Int {
    var random = RandomStream(seed: seed, .order, read)
    return random.below(source.count)
  }

  /// Returns the records of a group after the write with number `write` has changed them.
  func records(_ group: Int, after write: Int) -> [Record] { indices(of: group).map { record(at: $0, after: write) } }

  /// Returns the record at an index after the write with number `write` has changed it, or the initial record if
  /// `write` is nil. The index counts all records in key order, from 0.
  func record(at index: Int, after write: Int?) -> Record {
    var record = source.record(at: index)
    guard let write else { return record }
    var random = RandomStream(seed: seed, .change, write * size + index / count)
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(write + 1)
    return record
  }

  /// Returns the number of the write that last changed a record, or nil if no write did. Write n sets the modification
  /// time to n + 1 seconds after the initial time. `index` is the position of the record among all records in key
  /// order, from 0.
  func write(of record: Record, at index: Int) -> Int? {
    let number = (record.modified - times[index]).rounded()
    return number >= 1 && number < 1e15 ? Int(number) - 1 : nil
  }
}
