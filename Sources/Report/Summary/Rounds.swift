import StorageStatistics

/// What each round measured, by the round's number, in the order of the numbers.
///
/// A sorted array: a summary has thousands of these, and a dictionary takes twice the memory.
public struct Rounds: Sendable, Equatable, Sequence, ExpressibleByDictionaryLiteral {
  /// A round.
  public typealias Element = (key: Int, value: RoundTiming)

  private struct Entry: Sendable, Equatable {
    var round: Int
    var timing: RoundTiming
  }

  private var entries: [Entry] = []
  /// The kind of element: a round, or all rounds of one of several runs.
  public let unit: SampleUnit

  /// Creates rounds, or runs, of which none is there twice, in any order.
  public init(_ rounds: some Sequence<(Int, RoundTiming)>, unit: SampleUnit = .round) {
    entries = rounds.map(Entry.init).sorted { $0.round < $1.round }
    self.unit = unit
  }

  /// The interval of their typical times; nil where they are too few for one.
  public var interval: MedianInterval? { MedianInterval(of: values.map(\.typical).sorted(), unit: unit) }

  /// The same with the mean latency of each in the place of its typical time.
  var means: Rounds {
    Rounds(
      entries.map { entry in
        var timing = entry.timing
        timing.typical = timing.meanLatency
        return (entry.round, timing)
      }, unit: unit)
  }

  /// Creates rounds by their numbers, of which none is there twice.
  public init(dictionaryLiteral elements: (Int, RoundTiming)...) { self.init(elements, unit: .round) }

  /// What a round measured; nil where it measured nothing.
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

  /// Where a round is, or would be. Rounds come in their order: the end is looked at first.
  private func place(of round: Int) -> Int {
    guard let last = entries.last, last.round >= round else { return entries.count }
    var (low, high) = (0, entries.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].round < round { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// How many there are.
  public var count: Int { entries.count }
  /// Whether there is none.
  public var isEmpty: Bool { entries.isEmpty }
  /// Their numbers, ascending.
  public var keys: [Int] { entries.map(\.round) }
  /// What they measured, in the order of their numbers.
  public var values: [RoundTiming] { entries.map(\.timing) }

  /// The rounds in the order of their numbers.
  public func makeIterator() -> some IteratorProtocol<Element> {
    entries.lazy.map { (key: $0.round, value: $0.timing) }.makeIterator()
  }
}
