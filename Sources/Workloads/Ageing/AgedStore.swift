import StorageContract

/// A sequence of changes that ages a store, as long use would, before a benchmark uses the store.
///
/// First, all N records are inserted in random order. Then K passes follow, each with N random changes. The
/// command-line option `--aged` sets K. A pass deletes a tenth of the records and inserts them again. All other changes
/// replace a record by one with a shorter or longer payload. At the end, the store has the same N records as a store
/// without ageing, but it is not compacted.
///
/// This recipe follows db_bench's `fillrandom` and `overwrite` and the ageing literature, such as Geriatrix (ATC'18).
public struct AgedStore: Sendable {
  private let source: any RecordSource
  private let times: Int
  private let seed: UInt64
  private let payload: GeneratedRecords.Payload

  /// Creates the sequence of changes without applying any.
  ///
  /// - Parameters:
  ///   - source: The records that the store holds at the end.
  ///   - times: K, the number of passes after filling. Each pass has as many changes as the source has records.
  ///   - seed: The seed of all random choices.
  ///   - payload: The kind of the random payloads, such as text. A record has random payloads until its last change,
  ///     which stores the payload of `source`.
  public init(of source: any RecordSource, times: Int, seed: UInt64, payload: GeneratedRecords.Payload = .random) {
    (self.source, self.times, self.seed, self.payload) = (source, times, seed, payload)
  }

  /// Returns the number of changes that age a store of `records` records: one insertion of each record, then `times`
  /// passes with `records` changes each.
  public static func changes(records: Int, times: Int) -> Int { (times + 1) * records }

  /// One change of a record during the ageing. It is packed into one integer, because a million records need millions
  /// of changes.
  struct Step: Equatable {
    private let word: Int

    /// The index of the changed record in the ``RecordSource``.
    var index: Int { word >> 1 }
    /// Whether the change deletes the record; otherwise the record is inserted or replaced.
    var isDelete: Bool { word & 1 == 1 }

    init(_ index: Int, isDelete: Bool = false) { word = index << 1 | (isDelete ? 1 : 0) }
  }

  /// Returns all changes in order, starting with those that fill the store.
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

  /// Ages a new store in the environment's empty directory. First, all records are inserted. Then passes follow, each
  /// with as many changes as there are records. The store is closed and reopened between passes.
  ///
  /// If the engine changes single pages, each change is one commit. If the engine rewrites its whole file, each pass is
  /// one commit, because smaller commits would not alter the result.
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

  /// Returns the change that a step makes. If a later step writes the record again, this step writes a random payload.
  /// If the final payload has L bytes, the random one has 0 to 2L bytes, or 0 to 32 if L is below 16.
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
  /// Removes the element at `index`. The last element moves to that index, so that no other element moves.
  fileprivate mutating func remove(swapping index: Int) -> Element {
    swapAt(index, count - 1)
    return removeLast()
  }
}
