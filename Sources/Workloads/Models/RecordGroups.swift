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

  /// Returns the indices of a group's records. An index is a record's position, from 0, in key order in the whole
  /// source.
  ///
  /// - Parameters:
  ///   - group: The number of the group, from 0.
  ///   - most: The maximum number of indices to return.
  func indices(of group: Int, most: Int = .max) -> [Int] {
    (0..<min(size, most)).map { group + $0 * count }.filter { $0 < source.count }
  }

  /// Returns the group to which a record belongs, as a number from 0, or nil if the record is in no group.
  ///
  /// - Parameter index: The record's position, from 0, in key order in the whole source.
  func group(of index: Int) -> Int? { index < size * count ? index % count : nil }

  /// Chooses a random group of records for a write to change, and returns the group's number, from 0.
  ///
  /// - Parameter write: The number of the write, from 0.
  func written(_ write: Int) -> Int { RandomStream.number(below: count, seed: seed, .key, write) }

  /// Chooses a random group of records to read, and returns the group's number, from 0.
  ///
  /// - Parameter read: The number of the read, from 0.
  func read(_ read: Int) -> Int { RandomStream.number(below: count, seed: seed, .order, read) }

  /// Chooses a random record to read, and returns its position in key order, from 0.
  ///
  /// - Parameter read: The number of the read, from 0.
  func index(ofRead read: Int) -> Int { RandomStream.number(below: source.count, seed: seed, .order, read) }

  func records(_ group: Int, after write: Int) -> [Record] { indices(of: group).map { record(at: $0, after: write) } }

  /// Returns the content of a record after a write to that record.
  ///
  /// - Parameters:
  ///   - index: The record's position, from 0, in key order in the whole source.
  ///   - write: The number of the write, from 0, or nil for the initial content.
  func record(at index: Int, after write: Int?) -> Record {
    var record = source.record(at: index)
    guard let write else { return record }
    var random = RandomStream(seed: seed, .change, write * size + index / count)
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(write + 1)
    return record
  }

  /// Returns the number, from 0, of the write that last changed a record, or nil if none did. The number is derived
  /// from the record's modification time.
  func write(of record: Record, at index: Int) -> Int? {
    let number = (record.modified - times[index]).rounded()
    return number >= 1 && number < 1e15 ? Int(number) - 1 : nil
  }
}
