import StorageContract
import StorageStatistics

/// The times of one benchmark in each round (repetition), sorted by round.
public struct Rounds: Sendable, Equatable, Sequence {
  /// The number of a round (repetition), and the times that were measured in the round.
  public typealias Element = (key: Int, value: RoundTiming)

  private struct Entry: Sendable, Equatable {
    var round: Int
    var timing: RoundTiming
  }

  private var entries: [Entry] = []
  /// The kind of the rounds: `round` for the repetitions within one run, or `run` if each round is one of several
  /// combined runs.
  public let unit: SampleUnit

  /// Creates the collection from pairs: the number of a round (repetition), and the times in this round. The numbers
  /// are distinct.
  public init(_ rounds: some Sequence<(Int, RoundTiming)> = [], unit: SampleUnit = .round) {
    entries = rounds.map(Entry.init).sorted { $0.round < $1.round }
    self.unit = unit
  }

  /// The uncertainty of the median time, as an interval in nanoseconds. Nil if there are too few rounds.
  public var interval: MedianInterval? { MedianInterval(of: values.map(\.typical).sorted(), unit: unit) }

  /// A copy of these times in which each round's mean latency replaces its typical time.
  var means: Rounds {
    var means = self
    for index in entries.indices { means.entries[index].timing.typical = entries[index].timing.meanLatency }
    return means
  }

  /// The times of the round (repetition) with this number. Nil if there are none.
  public subscript(round: Int) -> RoundTiming? {
    get {
      let index = entries.partitioningIndex { $0.round >= round }
      return index < entries.count && entries[index].round == round ? entries[index].timing : nil
    }
    set {
      let index = entries.partitioningIndex { $0.round >= round }
      if self[round] != nil { entries.remove(at: index) }
      if let newValue { entries.insert(Entry(round: round, timing: newValue), at: index) }
    }
  }

  /// The number of rounds (repetitions) in which times were measured.
  public var count: Int { entries.count }
  /// Whether there are no rounds (repetitions) with times.
  public var isEmpty: Bool { entries.isEmpty }
  /// The numbers of the rounds (repetitions) with times, in ascending order.
  public var keys: [Int] { entries.map(\.round) }
  /// The times of all rounds (repetitions), sorted by the rounds' numbers.
  public var values: [RoundTiming] { entries.map(\.timing) }

  /// Returns an iterator over pairs: the number of a round (repetition), and the times in this round. The numbers
  /// ascend.
  public func makeIterator() -> some IteratorProtocol<Element> {
    entries.lazy.map { (key: $0.round, value: $0.timing) }.makeIterator()
  }
}
