import StorageContract

/// A model of an app's log. Each entry is a record: the key is the entry's ID, the group a user, the score an accuracy.
struct LogEntries {
  /// The entries that the log has before the first operation.
  let source: any RecordSource
  let seed: UInt64
  let threads: Int

  /// The number of entries that the lookups of all threads together may create, since a lookup creates an entry that is
  /// missing. Their keys follow the keys of the initial entries.
  private var sharedCount: Int { source.count / 4 + 1 }

  enum Operation: Equatable {
    /// An operation that appends an entry with this key.
    case append(Int64)
    /// An operation that finds or creates the entry with this key, and then increases its accuracy by one.
    case findOrCreate(Int64)
    /// An operation that deletes the entry with this key. The same thread has appended the entry before.
    case delete(Int64)
    case fetchAll
  }

  /// Returns the operation with a number. It depends only on the number and the seed, so threads may run in any order.
  ///
  /// Each thread is one user and repeats a cycle of eight operations: five new entries, two lookups, and the deletion
  /// of the first new entry. In every fifth cycle, a read of all entries takes the place of the fifth new entry.
  func operation(_ number: Int) -> Operation {
    let own = number / threads
    switch own % 8 {
    case 2, 5:
      var random = RandomStream(seed: seed, .key, number)
      // Four in five looked-up entries exist at the start.
      let position = random.below(source.count + sharedCount)
      return .findOrCreate(
        position < source.count ? source.key(at: position) : source.unusedKey(position - source.count))
    case 4: return .delete(appendedKey(number - 4 * threads))
    case 7 where own / 8 % 5 == 0: return .fetchAll
    default: return .append(appendedKey(number))
    }
  }

  private func appendedKey(_ number: Int) -> Int64 { source.unusedKey(sharedCount + number) }

  /// Returns the number of the operation that appends the entry with this key, or nil if no operation appends it.
  func appending(_ key: Int64) -> Int? {
    let number = key &- appendedKey(0)
    guard number >= 0, number < Int64(Int32.max), operation(Int(number)) == .append(key) else { return nil }
    return Int(number)
  }

  /// Returns an entry as it is first stored. It depends only on the key.
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
