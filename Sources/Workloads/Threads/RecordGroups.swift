import StorageContract

/// Groups of records. A write changes all records of one group, and a reader must see all or none of these changes.
struct RecordGroups: Sendable {
  let source: any RecordSource
  let seed: UInt64
  /// The maximum number of records in a group. The records have distant keys, to be on different pages of the file.
  let size: Int
  private let times: [Double]

  init(source: any RecordSource, seed: UInt64, size: Int) {
    self.source = source
    self.seed = seed
    self.size = size
    times = (0..<source.count).map { source.record(at: $0).modified }
  }

  var count: Int { max(1, source.count / size) }

  /// Returns the positions, in key order, of the first `most` records of a group.
  func indices(of group: Int, most: Int = .max) -> [Int] {
    (0..<min(size, most)).map { group + $0 * count }.filter { $0 < source.count }
  }

  /// Returns the number of the group of the record at a position in key order, or nil if the record is in no group.
  func group(of index: Int) -> Int? { index < size * count ? index % count : nil }

  func written(_ write: Int) -> Int { RandomStream.number(below: count, seed: seed, .key, write) }

  func read(_ read: Int) -> Int { RandomStream.number(below: count, seed: seed, .order, read) }

  /// Returns the position, in key order, of the random record that a read reads.
  func index(ofRead read: Int) -> Int { RandomStream.number(below: source.count, seed: seed, .order, read) }

  func records(_ group: Int, after write: Int) -> [Record] { indices(of: group).map { record(at: $0, after: write) } }

  /// Returns the record at a position in key order after write number `write` to it; the initial record if nil.
  func record(at index: Int, after write: Int?) -> Record {
    var record = source.record(at: index)
    guard let write else { return record }
    var random = RandomStream(seed: seed, .change, write * size + index / count)
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(write + 1)
    return record
  }

  /// Returns the number of the write that last changed a record, derived from its modification time, or nil.
  func write(of record: Record, at index: Int) -> Int? {
    let number = (record.modified - times[index]).rounded()
    return number >= 1 && number < 1e15 ? Int(number) - 1 : nil
  }
}
