import StorageContract

/// The app log: entries with an ID (the key), a user (``Record/group``), an accuracy (``Record/score``) and content.
struct LogEntries {
  /// The log at the start.
  let source: any RecordSource
  let seed: UInt64
  let threads: Int

  /// The number of entries that any thread may create. Their keys directly follow those of the entries at the start.
  private var sharedCount: Int { source.count / 4 + 1 }

  enum Operation: Equatable {
    /// Appends an entry under the key.
    case append(Int64)
    /// Finds or creates the entry with the key and increases its accuracy by one.
    case findOrCreate(Int64)
    /// Deletes an entry that the same thread appended.
    case delete(Int64)
    case fetchAll
  }

  /// Returns the operation with a number; a pure function of that number.
  ///
  /// Each thread is one user and repeats a cycle of eight: five new entries, two lookups, and the deletion of the first
  /// new entry. In every fifth cycle a read of all entries replaces the last new one. Threads may run in any order.
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

  /// Returns the number of the operation that appended the entry with a key, or nil.
  func appending(_ key: Int64) -> Int? {
    let number = key &- appendedKey(0)
    guard number >= 0, number < Int64(Int32.max), operation(Int(number)) == .append(key) else { return nil }
    return Int(number)
  }

  /// Returns the entry with a key as it was created; a pure function of the key.
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
