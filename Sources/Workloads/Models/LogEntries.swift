import StorageContract

/// A model of an app's log. Each log entry is a record, and each user is a group of records.
struct LogEntries {
  /// The source of the log entries that exist before the first operation.
  let source: any RecordSource
  let seed: UInt64
  let threads: Int

  /// The number of log entries that are missing at first and that ``Operation/findOrCreate(_:)`` may create: 26 for 100
  /// initial entries.
  private var sharedCount: Int { source.count / 4 + 1 }

  enum Operation: Equatable {
    /// An operation that appends the log entry with this key.
    case append(Int64)
    /// An operation that finds or creates the log entry with this key, and then increases its score by one.
    case findOrCreate(Int64)
    /// An operation that deletes the log entry with this key, which the same thread has appended.
    case delete(Int64)
    case fetchAll
  }

  /// Returns the operation with the given number, from 0: mostly appends, some lookups and deletions, and rarely a
  /// fetch of all entries.
  func operation(_ number: Int) -> Operation {
    let own = number / threads
    switch own % 8 {
    case 2, 5:
      // Four in five looked-up entries exist at the start.
      let position = RandomStream.number(below: source.count + sharedCount, seed: seed, .key, number)
      return .findOrCreate(
        position < source.count ? source.key(at: position) : source.unusedKey(position - source.count))
    case 4: return .delete(appendedKey(number - 4 * threads))
    case 7 where own / 8 % 5 == 0: return .fetchAll
    default: return .append(appendedKey(number))
    }
  }

  private func appendedKey(_ number: Int) -> Int64 { source.unusedKey(sharedCount + number) }

  /// Returns the number of the operation that appends the log entry with this key, if any.
  func appending(_ key: Int64) -> Int? {
    let number = key &- appendedKey(0)
    guard number >= 0, number < Int64(Int32.max), operation(Int(number)) == .append(key) else { return nil }
    return Int(number)
  }

  /// Returns the initial content of the log entry with this key. A new entry has a payload of `bytes` bytes.
  func entry(_ key: Int64, bytes: Int) -> Record {
    if let index = source.index(of: key) { return source.record(at: index) }
    let number = Int(key &- source.unusedKey(0))
    var random = RandomStream(seed: seed, .change, number)
    var entry = source.record(at: number % source.count)
    entry.id = key
    entry.name = "log \(key)"
    entry.group = "user \((max(0, number - sharedCount)) % threads + 1)"
    entry.score = 0
    entry.modified += Double(number + 1)
    entry.payload = GeneratedRecords.payload(bytes, .random, &random)
    return entry
  }
}
