import StorageContract

/// A new store, changed at random until it resembles one in long use. The method follows db_bench (`fillrandom`,
/// `overwrite`) and Geriatrix (ATC'18).
public struct AgedStore: Sendable {
  private let source: any RecordSource
  private let times: Int
  private let seed: UInt64
  private let payload: GeneratedRecords.Payload

  /// Creates the description of a store to be aged by random changes.
  ///
  /// - Parameters:
  ///   - source: The records in the finished, aged store.
  ///   - times: The number of times to make `source.count` random changes, after all records have been inserted.
  ///   - payload: The kind of the old payloads, which later saves replace: random bytes or words.
  public init(of source: any RecordSource, times: Int, seed: UInt64, payload: GeneratedRecords.Payload = .random) {
    (self.source, self.times, self.seed, self.payload) = (source, times, seed, payload)
  }

  /// Returns the number of changes that age a store: `records` insertions, then `times` × `records` random changes.
  public static func changes(records: Int, times: Int) -> Int { (times + 1) * records }

  /// A change that saves or deletes one record, packed into one integer to save memory.
  struct Step: Equatable {
    private let word: Int

    /// The index of the changed record in key order, stored above the lowest bit of `word`.
    var index: Int { word >> 1 }
    /// Whether the change deletes its record. If false, the record is inserted or replaced.
    var isDelete: Bool { word & 1 == 1 }

    init(_ index: Int, isDelete: Bool = false) { word = index << 1 | (isDelete ? 1 : 0) }
  }

  /// Returns all steps that age the store: one insertion of each record, then random changes.
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
      // The number of deletions and insertions still to make in the current pass.
      var moves = 2 * min(max(1, count / 10), count / 2)
      for left in stride(from: count, to: 0, by: -1) {
        guard random.below(left) < moves else {
          steps.append(Step(present[random.below(present.count)]))
          continue
        }
        // Each record deleted in a pass is inserted again in that pass.
        if !absent.isEmpty, absent.count == moves || random.below(2) == 0 {
          absent.swapAt(random.below(absent.count), absent.count - 1)
          let index = absent.removeLast()
          steps.append(Step(index))
          present.append(index)
        } else {
          present.swapAt(random.below(present.count), present.count - 1)
          let index = present.removeLast()
          steps.append(Step(index, isDelete: true))
          absent.append(index)
        }
        moves -= 1
      }
    }
    return steps
  }

  /// Creates a store in the empty directory of `environment`, and ages the store by random changes.
  ///
  /// - Parameter step: A function called after each commit.
  /// - Throws: ``StoreError``.
  public func apply(
    in environment: StoreEnvironment, with backend: any StorageBackend.Type, step: () -> Void = {}
  ) throws {
    let steps = steps()
    var last = Array(repeating: 0, count: source.count)
    for (number, step) in steps.enumerated() where !step.isDelete { last[step.index] = number }
    let commitLength = backend.description.kind(environment.options) == .page ? 1 : max(1, source.count)
    for part in 0...times {
      let store = try backend.init(opening: environment)
      do {
        let end = (part + 1) * source.count
        for first in stride(from: end - source.count, to: end, by: commitLength) {
          let commit = first..<min(end, first + commitLength)
          try store.commit(commit.map { change($0, steps[$0], isLast: last[steps[$0].index] == $0) })
          step()
        }
        if part == times { try store.settle() }
      } catch {
        try? store.close()
        throw error
      }
      try store.close()
    }
  }

  /// Returns the save or deletion that a step makes. If `isLast` is false, a save stores a random payload instead of
  /// the record's real payload.
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
