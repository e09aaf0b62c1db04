import StorageContract

/// The app log: entries with an ID, the user who made them, an accuracy, and what was logged.
///
/// The key stands for the ID, by which entries are found; ``Record/group`` is the user and ``Record/score`` the
/// accuracy.
struct LogEntries {
  /// The log at the start.
  let source: any RecordSource
  let seed: UInt64
  let threads: Int

  /// Entries that any thread may be the first to make, by the key after the last.
  private var sharedCount: Int { source.count / 4 + 1 }

  /// The kinds of operations on the log.
  enum Operation: Equatable {
    /// A new entry under the key.
    case append(Int64)
    /// Finds the entry with the key, or makes it, and raises its accuracy by one.
    case findOrCreate(Int64)
    /// Removes an entry that this thread has appended.
    case delete(Int64)
    /// Reads all entries.
    case fetchAll
  }

  /// Returns the operation of a number: a pure function of it.
  ///
  /// Each thread, one user, repeats a cycle of eight: five new entries, two lookups, and the removal of the cycle's
  /// first entry. In every fifth cycle the last new entry is replaced by a scan of all entries. Operations of threads
  /// on each other's entries can run in any order.
  func operation(_ number: Int) -> Operation {
    let own = number / threads
    switch own % 8 {
    case 2, 5:
      var random = RandomStream(seed: seed, .key, number)
      // Four in five are there from the start.
      let place = random.below(source.count + sharedCount)
      return .findOrCreate(
        place < source.count ? source.key(at: place) : source.unusedKey(place - source.count))
    case 4: return .delete(appendedKey(number - 4 * threads))
    case 7 where own / 8 % 5 == 0: return .fetchAll
    default: return .append(appendedKey(number))
    }
  }

  private func appendedKey(_ number: Int) -> Int64 { source.unusedKey(sharedCount + number) }

  /// Returns the operation that appended the entry with a key. Nil if none did.
  func appending(_ key: Int64) -> Int? {
    let number = key &- appendedKey(0)
    guard number >= 0, number < Int64(Int32.max), operation(Int(number)) == .append(key) else { return nil }
    return Int(number)
  }

  /// Returns the entry of a key when it was made: a pure function of the key.
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
