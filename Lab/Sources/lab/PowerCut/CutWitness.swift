@_spi(Lab) import StorageVerify

/// A comparison of a real power cut with disk models. A disk model is a set of rules that say which changes a power cut
/// may lose.
struct CutWitness {
  private let logs: [DiskLog]

  /// Creates a comparison of a real power cut with each disk model in ``models``.
  ///
  /// - Parameters:
  ///   - base: The files that were on the disk before the logged calls.
  ///   - log: The system calls that a process made before the power cut.
  /// - Throws: ``CallLogError`` if the log cannot be replayed.
  init(base: ReplayedFiles, log: CallLog) throws {
    logs = try DiskModel.allCases.map { try DiskLog(DiskTrace(base: base, calls: log.calls), $0) }
  }

  /// The names of the disk models: `strict`, `ext4-like` and `ext4-no-journal`. The rules of a disk model say which
  /// changes a power cut may lose.
  static var models: [String] { DiskModel.allCases.map(\.rawValue) }

  /// Explains the files `left` after a power cut: finds, for each disk model, lost changes that lead to these files.
  /// Omits models that do not allow these files.
  ///
  /// - Parameter acknowledged: The number of acknowledged saves. The process must have made no system call after them.
  /// - Returns: Explanations, such as `2 of 5 changes missing`. The keys are names of disk models, such as `strict`.
  func explanations(of left: ReplayedFiles, afterSaves acknowledged: Int) -> [String: String] {
    var explanations: [String: String] = [:]
    for log in logs {
      let cut = log.acknowledged.firstIndex { $0 >= acknowledged } ?? log.steps.count
      guard let missing = log.explanation(of: left.files, at: cut) else { continue }
      let pending = log.pending(at: cut).count
      explanations[log.model.rawValue] = "\(missing.count) of \(pending) changes missing" + Self.list(missing, log)
    }
    return explanations
  }

  private static func list(_ missing: [Int], _ log: DiskLog) -> String {
    guard !missing.isEmpty else { return "" }
    let words = missing.prefix(3).map { change in
      (log.changes[change].isLength ? "the length by " : log.changes[change].isInode ? "the inode by " : "")
        + log.steps[log.changes[change].step].call.sentence
    }
    return ": " + words.joined(separator: ", ") + (missing.count > 3 ? ", \u{2026}" : "")
  }
}

extension DiskLog {
  private static var page: Int { 4_096 }
  /// The maximum number of changes for which all combinations of lost and kept changes are tried.
  private static var most: Int { 12 }
  private static var mostSets: Int { 1 << 16 }

  /// Returns lost changes that explain the files `found` after a power cut, as indices in ``changes``. Nil if no tried
  /// loss explains these files.
  fileprivate func explanation(of found: [String: [UInt8]], at cut: Int) -> [Int]? {
    let pending = Set(pending(at: cut))
    let first = changes.indices.first { changes[$0].step >= cut || pending.contains($0) } ?? changes.count
    var before = base
    for change in changes[..<first] { before.apply(change.effect) }
    let window = Array(changes.indices[first...].prefix { changes[$0].step < cut })
    let seen = found.filter { !Self.isRebuilt($0.key) }
    for missing in missingNames(window.filter(pending.contains)) {
      var after = before
      for index in window where (changes[index].directory != nil || changes[index].isInode) && !missing.contains(index)
      {
        after.apply(changes[index].effect)
      }
      let there = after.files
      let names = after.names.filter { !Self.isRebuilt($0.key) && there[$0.key] != nil }
      guard Set(names.keys) == Set(seen.keys) else { continue }
      var all = missing
      let isExplained = names.allSatisfy { name, file in
        let content = FileWindow(
          before: before.contents[file] ?? [],
          changes: window.filter { changes[$0].directory == nil && changes[$0].file == file },
          optional: pending.filter { !changes[$0].isMetadata }, gone: missing)
        guard let gone = self.missing(content, leaving: seen[name] ?? []) else { return false }
        all.formUnion(gone)
        return true
      }
      if isExplained { return all.sorted() }
    }
    return nil
  }

  /// Returns the sets of metadata changes, such as renames, that may be missing after a power cut. The smallest set
  /// comes first.
  private func missingNames(_ pending: [Int]) -> [Set<Int>] {
    let metadata = pending.filter { changes[$0].isMetadata }
    var blocks: [MetadataBlock: [Int]] = [:]
    var alone: [Int] = []
    for change in metadata {
      if let block = model.block(of: changes[change]) {
        blocks[block, default: []].append(change)
      } else {
        alone.append(change)
      }
    }
    // The changes of one metadata block reach the disk in order, so only the latest ones may be missing.
    var sets: [Set<Int>] = Self.subsets(alone)
    for block in blocks.values.sorted(by: { $0[0] > $1[0] }) {
      let most = sets.count * (block.count + 1) <= Self.mostSets ? block.count : 0
      sets = (0...most).flatMap { count in sets.map { $0.union(block.suffix(count)) } }
    }
    // With many blocks, not all combinations are tried. The loss of all changes after a moment is always tried.
    let sinceMoments = metadata.indices.map { Set(metadata[$0...]) }
    return (sets + sinceMoments).map { Set(closed(Array($0), pending)) }.sorted { $0.count < $1.count }
  }

  private static func subsets(_ items: [Int]) -> [Set<Int>] {
    // With many items, only sets of the latest items and sets of a single item are tried.
    guard items.count <= most else { return (0...items.count).map { Set(items.suffix($0)) } + items.map { [$0] } }
    return (0..<1 << items.count).sorted { ($0.nonzeroBitCount, $0) < ($1.nonzeroBitCount, $1) }.map { mask in
      Set(items.indices.filter { mask >> $0 & 1 == 1 }.map { items[$0] })
    }
  }

  /// A file at a power cut. `before` is the file's content before the first unsynced change of the log. `changes` are
  /// indices of the file's changes since then.
  private struct FileWindow {
    let before: [UInt8]
    let changes: [Int]
    /// The indices of the unsynced changes, except those of metadata.
    let optional: Set<Int>
    let gone: Set<Int>
  }

  private func missing(_ file: FileWindow, leaving found: [UInt8]) -> Set<Int>? {
    let made = file.changes.filter { !file.gone.contains($0) }
    var missing: Set<Int> = []
    // For each write, the offset in the file up to which the write reached the disk.
    var reached: [Int: Int] = [:]
    for start in stride(from: 0, to: found.count, by: Self.page) {
      let range = start..<min(found.count, start + Self.page)
      let touching = made.filter { touches($0, range) }
      let match = Self.subsets(touching.filter(file.optional.contains)).first { set in
        page(range, file.before, touching.filter { !set.contains($0) }) == found[range]
      }
      guard let match else { return nil }
      missing.formUnion(match)
      for index in touching where !match.contains(index) { reached[index] = start + Self.page }
    }
    guard sizes(file, made, reached).contains(found.count) else { return nil }
    let beyond = made.filter { file.optional.contains($0) && changes[$0].written != nil && reached[$0] == nil }
    return missing.union(beyond)
  }

  private func sizes(_ file: FileWindow, _ made: [Int], _ reached: [Int: Int]) -> Set<Int> {
    var sizes: Set<Int> = [file.before.count]
    for index in made {
      var after = sizes
      switch changes[index].effect {
      case .grow(_, let length): after = Set(sizes.map { max($0, length) })
      case .resize(_, let length): after = [length]
      case .write(_, let start, let data):
        // A write that is certainly on the disk, but in no page of the file, was truncated later.
        let end = min(start + data.count, reached[index] ?? (file.optional.contains(index) ? 0 : .max))
        after = Set(sizes.map { max($0, end) })
      default: break
      }
      sizes = file.optional.contains(index) ? sizes.union(after) : after
    }
    return sizes
  }

  private func touches(_ index: Int, _ range: Range<Int>) -> Bool {
    switch changes[index].effect {
    case .write(_, let start, let data): start < range.upperBound && start + data.count > range.lowerBound
    case .resize(_, let length): length < range.upperBound
    default: false
    }
  }

  private func page(_ range: Range<Int>, _ before: [UInt8], _ made: [Int]) -> ArraySlice<UInt8> {
    var page = [UInt8](repeating: 0, count: range.count)
    func put(_ bytes: [UInt8], at start: Int) {
      let low = max(range.lowerBound, start)
      let high = min(range.upperBound, start + bytes.count)
      if low < high {
        page.replaceSubrange(low - range.lowerBound..<high - range.lowerBound, with: bytes[low - start..<high - start])
      }
    }
    put(before, at: 0)
    for index in made {
      switch changes[index].effect {
      case .write(_, let start, let data): put(data, at: start)
      case .resize(_, let length):
        for position in page.indices where range.lowerBound + position >= length { page[position] = 0 }
      default: break
      }
    }
    return page[...]
  }
}
