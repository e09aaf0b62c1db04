import StorageContract

/// An aged store: a new store, changed at random until it resembles one in long use.
///
/// Every record is inserted once, in random order. Then passes follow, as many as the option `--aged` requests. Each
/// pass deletes and reinserts a tenth of the records, and changes the payloads of others. At the end, the store has the
/// same records as a new store, but is not compacted.
///
/// The method follows `fillrandom` and `overwrite` of db_bench, and papers such as Geriatrix (ATC'18).
public struct AgedStore: Sendable {
  private let source: any RecordSource
  private let times: Int
  private let seed: UInt64
  private let payload: GeneratedRecords.Payload

  /// Creates the description of an aged store: a new store, changed at random until it resembles one in long use.
  ///
  /// - Parameters:
  ///   - source: The records that the store holds at the end.
  ///   - times: The number of passes after the insertion of all records. A pass makes `source.count` random changes.
  ///   - payload: The kind of the temporary payloads, which the records have until their last save.
  public init(of source: any RecordSource, times: Int, seed: UInt64, payload: GeneratedRecords.Payload = .random) {
    (self.source, self.times, self.seed, self.payload) = (source, times, seed, payload)
  }

  /// Returns the number of changes that make a new store resemble one in long use. All records are inserted once. Then
  /// `times` passes follow, each with `records` changes.
  public static func changes(records: Int, times: Int) -> Int { (times + 1) * records }

  /// One of the changes by which a store is aged (made to resemble a store in long use). The change saves or deletes
  /// one record, and is packed into one integer to save memory.
  struct Step: Equatable {
    private let word: Int

    /// The index of the changed record among all records, in key order. The index is stored in `word`, above the lowest
    /// bit.
    var index: Int { word >> 1 }
    /// Whether this change of one record deletes the record, stored as the lowest bit of `word`. If false, the change
    /// inserts or replaces the record.
    var isDelete: Bool { word & 1 == 1 }

    init(_ index: Int, isDelete: Bool = false) { word = index << 1 | (isDelete ? 1 : 0) }
  }

  /// Returns all steps that age the store, in order. The first steps insert every record once.
  func steps() -> [Step] {
    let count = source.count
    var random = RandomStream(seed: seed, .life, 0)
    var present = Array(0..<count)
    // A Fisher-Yates shuffle. The standard library may change the algorithm of `shuffle()`.
    for last in stride(from: count - 1, to: 0, by: -1) { present.swapAt(last, random.below(last + 1)) }
    var steps = present.map { Step($0) }
    steps.reserveCapacity(Self.changes(records: count, times: times))
    var absent: [Int] = []
    for _ in 0..<times {
      // The number of deletions and insertions left among the current N changes.
      var moves = 2 * min(max(1, count / 10), count / 2)
      for left in stride(from: count, to: 0, by: -1) {
        guard random.below(left) < moves else {
          steps.append(Step(present[random.below(present.count)]))
          continue
        }
        // Every deleted record is inserted again within the same N changes.
        if !absent.isEmpty, absent.count == moves || random.below(2) == 0 {
          let index = absent.remove(swapping: random.below(absent.count))
          steps.append(Step(index))
          present.append(index)
        } else {
          let index = present.remove(swapping: random.below(present.count))
          steps.append(Step(index, isDelete: true))
          absent.append(index)
        }
        moves -= 1
      }
    }
    return steps
  }

  private func lastPuts(_ steps: [Step]) -> [Int] {
    var last = Array(repeating: 0, count: source.count)
    for (number, step) in steps.enumerated() where !step.isDelete { last[step.index] = number }
    return last
  }

  /// Creates a store in the empty directory of `environment`, and ages the store by several passes of random changes.
  /// The store is closed and reopened before each pass.
  ///
  /// If the engine changes single pages of its file, each change is one commit. Otherwise, each pass is one commit,
  /// because smaller commits would give the same files.
  ///
  /// - Parameter step: A function that is called after each commit.
  /// - Throws: ``StoreError``.
  public func apply(
    in environment: StoreEnvironment, with backend: any StorageBackend.Type, step: () -> Void = {}
  ) throws {
    let steps = steps()
    let last = lastPuts(steps)
    let commitLength = backend.description.kind(environment.options) == .page ? 1 : max(1, source.count)
    for part in 0...times {
      let store = try backend.init(opening: environment)
      do {
        var next = part * source.count
        let end = next + source.count
        while next < end {
          let commit = next..<min(end, next + commitLength)
          try store.commit(commit.map { change($0, steps[$0], isLast: last[steps[$0].index] == $0) })
          next = commit.upperBound
          step()
        }
        if part == times { try store.settle() }
        try store.close()
      } catch {
        try? store.close()
        throw error
      }
    }
  }

  /// Returns the change that a step makes to one record: a save or a deletion. `number` is the index of the step among
  /// all steps. If no later step saves the record (`isLast`), a save stores the final payload. Any other save stores a
  /// random payload.
  private func change(_ number: Int, _ step: Step, isLast: Bool) -> Change {
    if step.isDelete { return .delete(source.key(at: step.index)) }
    var record = source.record(at: step.index)
    if !isLast {
      var random = RandomStream(seed: seed, .formerValue, number)
      let length = random.below(2 * max(record.payload.count, 16) + 1)
      record.payload = GeneratedRecords.payload(length, payload, &random)
      record.modified -= Double(number + 1)
    }
    return .put(record)
  }
}

extension Array {
  /// Removes and returns the element at `index`. The last element takes its place.
  fileprivate mutating func remove(swapping index: Int) -> Element {
    swapAt(index, count - 1)
    return removeLast()
  }
}
