import StorageContract

/// What one cut has left: which of the changes that might be missing are, and which write came halfway.
struct CutState: Sendable {
  /// After how many steps.
  var cut: Int
  /// Changes by their places in the log, in order.
  var missing: [Int] = []
  /// A write of which only some bytes are there.
  var torn: (change: Int, kept: Range<Int>)?
}

/// How many of a cut's states are tried.
struct CutEffort: Sendable {
  /// Up to so many changes that may be missing, every set of them is tried.
  var exhaustive: Int
  /// Beyond that, about so many sets are drawn.
  var most: Int
  /// How many second cuts, while a store is opened, are drawn of those that there are: an engine that makes its files anew
  /// each time has thousands.
  var again: Int

  static let long = CutEffort(exhaustive: 8, most: 100, again: 2_000)
  static let short = CutEffort(exhaustive: 5, most: 24, again: 200)
}

extension DiskLog {
  /// What disks write whole, by what they say of themselves.
  private static var sectors: [Int] { [512, 4_096] }

  /// States that a cut may leave, those with the fewest changes missing first, torn writes last.
  func states(at cut: Int, _ effort: CutEffort, seed: UInt64) -> [CutState] {
    let pending = pending(at: cut)
    var random = SeededRandom(seed: seed &+ UInt64(cut))
    var seen: Set<[Int]> = []
    let sets = missingSets(pending, effort, &random).map { closed($0, pending) }.filter { seen.insert($0).inserted }
    return sets.map { CutState(cut: cut, missing: $0) } + tornStates(at: cut, pending)
  }

  private func missingSets(_ pending: [Int], _ effort: CutEffort, _ random: inout SeededRandom) -> [[Int]] {
    let (count, most) = (pending.count, effort.most)
    guard count > effort.exhaustive else {
      let masks = (0..<1 << count).sorted { ($0.nonzeroBitCount, $0) < ($1.nonzeroBitCount, $1) }
      return masks.map { mask in pending.indices.filter { mask >> $0 & 1 == 1 }.map { pending[$0] } }
    }
    // Of each kind as many as fit: one missing, two, any, all but one. What came last is the likeliest to be missing.
    let one = pending.suffix(most / 3)
    var two: Set<[Int]> = []
    for _ in 0..<most / 3 {
      let (first, second) = (random.number(0...count - 1), random.number(0...count - 1))
      if first != second { two.insert([pending[min(first, second)], pending[max(first, second)]]) }
    }
    let any = (0..<most / 6).map { _ in pending.filter { _ in random.number(0...1) == 1 } }
    let allButOne = pending.suffix(most / 6).map { kept in pending.filter { $0 != kept } }
    return [[]] + one.map { [$0] } + two.sorted { $0.lexicographicallyPrecedes($1) } + any + allButOne + [pending]
  }

  /// Writes cut at the bounds of sectors, all else being there, but for the length that the write gives. Before a sync
  /// every write may be torn, else the last.
  private func tornStates(at cut: Int, _ pending: [Int]) -> [CutState] {
    let isBeforeSync = cut == steps.count || steps[cut].isSync
    let writes = pending.filter { changes[$0].written != nil }
    return (isBeforeSync ? writes : writes.suffix(1)).flatMap { change in
      let length = pending.filter { changes[$0].step == changes[change].step && changes[$0].isLength }
      return parts(changes[change]).flatMap { part in
        ([[]] + (length.isEmpty ? [] : [length])).map { CutState(cut: cut, missing: $0, torn: (change, part)) }
      }
    }
  }

  /// What may be left of a write that crosses the bounds of sectors: its first one, all but its last, all but its first.
  private func parts(_ change: DiskChange) -> [Range<Int>] {
    guard let write = change.written else { return [] }
    var parts: [Range<Int>] = []
    for sector in Self.sectors {
      // A journal lets a file become longer by whole blocks alone.
      if model.ordersMetadata, sector < 4_096, change.lengthBefore < write.start + write.count { continue }
      let first = sector - write.start % sector
      guard first < write.count else { continue }
      let last = (write.start + write.count - 1) / sector * sector - write.start
      for part in [0..<first, 0..<last, first..<write.count] where !parts.contains(part) { parts.append(part) }
    }
    return parts
  }
}

/// Rebuilds what cuts have left. Fastest where they come in their order.
struct CutReplay {
  let log: DiskLog
  /// The files with every change before ``next``.
  private var files: DiskFiles
  private var next = 0

  init(_ log: DiskLog) {
    self.log = log
    files = log.base
  }

  /// The files that a cut has left.
  mutating func files(_ state: CutState) -> DiskFiles {
    // What comes before the first change that may be missing is there at every later cut.
    let first = log.changes.indices.first { log.changes[$0].step >= state.cut || log.safe[$0] > state.cut }
    let floor = first ?? log.changes.count
    if floor < next { (files, next) = (log.base, 0) }
    while next < floor {
      files.apply(log.changes[next].effect)
      next += 1
    }
    var left = files
    let missing = Set(state.missing)
    for index in floor..<log.changes.count where !missing.contains(index) {
      guard log.changes[index].step < state.cut else { break }
      left.apply(log.changes[index].effect, kept: state.torn?.change == index ? state.torn?.kept : nil)
    }
    return left
  }
}
