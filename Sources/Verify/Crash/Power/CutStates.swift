import StorageContract

/// A disk state that a power cut may leave. Some changes are missing on the disk, and one write may be torn (half
/// done).
struct CutState: Sendable {
  /// The number of steps (changes and syncs) in the log of system calls before the power cut.
  var cut: Int
  /// The indices in ``DiskLog/changes`` of the changes that did not reach the disk, in ascending order.
  var missing: [Int] = []
  var torn: (change: Int, kept: Range<Int>)?
}

/// A key for the result of a power cut: a hash of the remaining files, and the acknowledged saves. Of several results
/// with the same key, only one is inspected.
struct CutContent: Hashable {
  var files: Int
  var saves: [Int]
}

/// The effort of a power cut test: limits for the numbers of disk states to try.
struct CutEffort: Sendable {
  /// The maximum number of unsynced changes for which every combination of lost changes is tried.
  var exhaustive: Int
  /// The approximate number of combinations of lost changes to try, if there are more than ``exhaustive`` unsynced
  /// changes.
  var most: Int
  /// The maximum number of crash-test cases with a second power cut, for each disk model. The second cut occurs while
  /// the store is opened again.
  var again: Int

  static let long = CutEffort(exhaustive: 8, most: 100, again: 2_000)
  static let short = CutEffort(exhaustive: 5, most: 24, again: 200)
}

extension DiskLog {
  /// The sector sizes of disks, in bytes. Disks claim that a power cut leaves a sector written whole or not at all.
  private static var sectors: [Int] { [512, 4_096] }

  /// Returns the disk states that a power cut may leave after the first `cut` steps (changes and syncs) of the log.
  /// States with a torn (half done) write come last.
  func states(at cut: Int, _ effort: CutEffort, seed: UInt64) -> [CutState] {
    let pending = pending(at: cut)
    var random = SeededRandom(seed: seed &+ UInt64(cut))
    let sets = missingSets(pending, effort, &random).map { closed($0, pending) }.unique
    return sets.map { CutState(cut: cut, missing: $0) } + tornStates(at: cut, pending)
  }

  private func missingSets(_ pending: [Int], _ effort: CutEffort, _ random: inout SeededRandom) -> [[Int]] {
    let (count, most) = (pending.count, effort.most)
    guard count > effort.exhaustive else {
      let masks = (0..<1 << count).sorted { ($0.nonzeroBitCount, $0) < ($1.nonzeroBitCount, $1) }
      return masks.map { mask in pending.indices.filter { mask >> $0 & 1 == 1 }.map { pending[$0] } }
    }
    // Sets of one, two, any and all but one missing changes. The latest changes are the likeliest to be missing.
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

  /// Returns disk states in which one unsynced write is torn: only a part of its bytes is on the disk.
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

  private func parts(_ change: DiskChange) -> [Range<Int>] {
    guard let write = change.written else { return [] }
    var parts: [Range<Int>] = []
    for sector in Self.sectors {
      // In a model with a journal, a file grows by whole blocks of 4,096 bytes only.
      if model.ordersMetadata, sector < 4_096, change.lengthBefore < write.start + write.count { continue }
      let first = sector - write.start % sector
      guard first < write.count else { continue }
      let last = (write.start + write.count - 1) / sector * sector - write.start
      for part in [0..<first, 0..<last, first..<write.count] where !parts.contains(part) { parts.append(part) }
    }
    return parts
  }
}

/// A replay of logged system calls, which rebuilds the files that power cuts leave. The replay is fastest if the caller
/// requests the power cuts in the order of the log.
struct CutReplay {
  let log: DiskLog
  /// The files on the disk after the changes that have been replayed so far. ``next`` is the number of these changes.
  private var files: ReplayedFiles
  private var next = 0

  init(_ log: DiskLog) {
    self.log = log
    files = log.base
  }

  mutating func files(_ state: CutState) -> ReplayedFiles {
    // Changes before the first one that may be missing are also present at every later cut, so they are applied for
    // good.
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
