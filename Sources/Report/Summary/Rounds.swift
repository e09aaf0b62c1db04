import StorageStatistics

/// The timings of a cell's rounds, in the order of their numbers.
///
/// The elements are in a sorted array, since a summary has thousands of them and a dictionary takes twice the memory.
public struct Rounds: Sendable, Equatable, Sequence, ExpressibleByDictionaryLiteral {
  /// A round's number and its timing.
  public typealias Element = (key: Int, value: RoundTiming)

  private struct Entry: Sendable, Equatable {
    var round: Int
    var timing: RoundTiming
  }

  private var entries: [Entry] = []
  /// The kind of each element: a round, or all rounds of one of several runs.
  public let unit: SampleUnit

  /// Creates rounds, or runs, with distinct numbers in any order.
  public init(_ rounds: some Sequence<(Int, RoundTiming)>, unit: SampleUnit = .round) {
    entries = rounds.map(Entry.init).sorted { $0.round < $1.round }
    self.unit = unit
  }

  /// The interval of the rounds' typical times; nil if there are too few.
  public var interval: MedianInterval? { MedianInterval(of: values.map(\.typical).sorted(), unit: unit) }

  /// The rounds with their mean latency in place of their typical time.
  var means: Rounds {
    Rounds(
      entries.map { entry in
        var timing = entry.timing
        timing.typical = timing.meanLatency
        return (entry.round, timing)
      }, unit: unit)
  }

  /// Creates rounds with distinct numbers.
  public init(dictionaryLiteral elements: (Int, RoundTiming)...) { self.init(elements, unit: .round) }

  /// The timing of a round; nil if there is none.
  public subscript(round: Int) -> RoundTiming? {
    get {
      let place = place(of: round)
      return place < entries.count && entries[place].round == round ? entries[place].timing : nil
    }
    set {
      let place = place(of: round)
      let isKnown = place < entries.count && entries[place].round == round
      switch (isKnown, newValue) {
      case (true, let timing?): entries[place].timing = timing
      case (true, nil): entries.remove(at: place)
      case (false, let timing?): entries.insert(Entry(round: round, timing: timing), at: place)
      case (false, nil): break
      }
    }
  }

  /// Returns the index of a round, or the index for inserting it. The end is checked first, as rounds come in order.
  private func place(of round: Int) -> Int {
    guard let last = entries.last, last.round >= round else { return entries.count }
    var (low, high) = (0, entries.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].round < round { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The number of rounds.
  public var count: Int { entries.count }
  /// Whether there are no rounds.
  public var isEmpty: Bool { entries.isEmpty }
  /// The numbers of the rounds, ascending.
  public var keys: [Int] { entries.map(\.round) }
  /// The timings of the rounds, in the order of their numbers.
  public var values: [RoundTiming] { entries.map(\.timing) }

  /// Returns an iterator over the rounds in the order of their numbers.
  public func makeIterator() -> some IteratorProtocol<Element> {
    entries.lazy.map { (key: $0.round, value: $0.timing) }.makeIterator()
  }
}
