import StorageStatistics

/// The times of one benchmark cell (backend, workload, size and settings) in each round (repetition), sorted by round.
/// A sorted array takes half the memory of a dictionary.
public struct Rounds: Sendable, Equatable, Sequence, ExpressibleByDictionaryLiteral {
  /// A pair: the number of a round (repetition), and the times measured in it.
  public typealias Element = (key: Int, value: RoundTiming)

  private struct Entry: Sendable, Equatable {
    var round: Int
    var timing: RoundTiming
  }

  private var entries: [Entry] = []
  /// The unit of repetition: a round (repetition of all measurements in one run) or, if several runs are combined, a
  /// whole run.
  public let unit: SampleUnit

  /// Creates the times from pairs of a round (repetition) and its times. With the unit `run`, a pair is about a whole
  /// run. The numbers of the rounds are distinct and in any order.
  public init(_ rounds: some Sequence<(Int, RoundTiming)>, unit: SampleUnit = .round) {
    entries = rounds.map(Entry.init).sorted { $0.round < $1.round }
    self.unit = unit
  }

  /// The confidence interval of the median time over all rounds (repetitions), in nanoseconds; nil if there are too
  /// few.
  public var interval: MedianInterval? { MedianInterval(of: values.map(\.typical).sorted(), unit: unit) }

  /// A copy in which the typical time of each round (repetition) is replaced by the mean latency.
  var means: Rounds {
    Rounds(
      entries.map { entry in
        var timing = entry.timing
        timing.typical = timing.meanLatency
        return (entry.round, timing)
      }, unit: unit)
  }

  /// Creates the times of rounds (repetitions). The keys are the numbers of the rounds and must be distinct.
  public init(dictionaryLiteral elements: (Int, RoundTiming)...) { self.init(elements, unit: .round) }

  /// The times of the round (repetition) with this number. Nil if there are none.
  public subscript(round: Int) -> RoundTiming? {
    get {
      let index = index(of: round)
      return index < entries.count && entries[index].round == round ? entries[index].timing : nil
    }
    set {
      let index = index(of: round)
      let isKnown = index < entries.count && entries[index].round == round
      switch (isKnown, newValue) {
      case (true, let timing?): entries[index].timing = timing
      case (true, nil): entries.remove(at: index)
      case (false, let timing?): entries.insert(Entry(round: round, timing: timing), at: index)
      case (false, nil): break
      }
    }
  }

  private func index(of round: Int) -> Int {
    guard let last = entries.last, last.round >= round else { return entries.count }
    var (low, high) = (0, entries.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].round < round { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The number of rounds (repetitions) with times.
  public var count: Int { entries.count }
  /// Whether there are no rounds (repetitions) with times.
  public var isEmpty: Bool { entries.isEmpty }
  /// The numbers of the rounds (repetitions) with times, in ascending order.
  public var keys: [Int] { entries.map(\.round) }
  /// The times of all rounds (repetitions), sorted by the numbers of the rounds.
  public var values: [RoundTiming] { entries.map(\.timing) }

  /// Returns an iterator over pairs of a round (repetition) and its times, sorted by the numbers of the rounds.
  public func makeIterator() -> some IteratorProtocol<Element> {
    entries.lazy.map { (key: $0.round, value: $0.timing) }.makeIterator()
  }
}
