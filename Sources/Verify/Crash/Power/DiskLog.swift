/// The system calls of a process, and the files that were on the disk before these calls.
@_spi(Lab) public struct DiskTrace: Sendable {
  let base: ReplayedFiles
  let calls: [LoggedCall]

  /// Creates a trace from the files before the calls, and the calls in order.
  public init(base: ReplayedFiles, calls: [LoggedCall]) { (self.base, self.calls) = (base, calls) }
}

/// A log of system calls, divided into steps. The disk model decides which changes a power cut may lose.
@_spi(Lab) public struct DiskLog: Sendable {
  /// A change of the disk, or a sync. A write that also syncs its bytes has two steps.
  public struct Step: Sendable {
    /// The system call of which this step is a part.
    public let call: LoggedCall
    let isSync: Bool
  }

  /// The rules that say which changes a power cut may lose.
  public let model: DiskModel
  /// The files on the disk before the first call, without those that the engine recreates.
  public private(set) var base: ReplayedFiles
  /// The changes and syncs, in the order of the calls.
  public private(set) var steps: [Step] = []
  /// The changes of the disk, in the order of the calls.
  public private(set) var changes: [DiskChange] = []
  /// For each element of ``changes``, the number of steps of the log after which a power cut can no longer lose the
  /// change. `Int.max` if a power cut can always lose the change.
  private(set) var safe: [Int] = []
  /// The number of acknowledged saves at each point of the log. Element 7 is the number after the first 7 steps.
  public private(set) var acknowledged = [0]

  /// Divides the calls of a trace into steps.
  ///
  /// - Throws: ``CallLogError`` if a call needs an existing file and there is none.
  public init(_ trace: DiskTrace, _ model: DiskModel) throws {
    self.model = model
    base = trace.base
    base.names = base.names.filter { !Self.isRebuilt($0.key) }
    var files = LoggedFiles(trace.base)
    for call in trace.calls { try read(call, &files) }
    for change in changes { if case .allocate(let file) = change.effect { base.unused.insert(file) } }
  }

  /// Returns the indices of the changes that a power cut after the first `cut` steps may lose.
  public func pending(at cut: Int) -> [Int] {
    changes.indices.filter { changes[$0].step < cut && safe[$0] > cut }
  }

  /// Returns `missing`, and those changes of `pending` that are lost with them, such as later entries of a journal.
  public func closed(_ missing: [Int], _ pending: [Int]) -> [Int] {
    let blocks = missing.compactMap { change in model.block(of: changes[change]).map { ($0, change) } }
    guard !blocks.isEmpty else { return missing }
    let firsts = Dictionary(blocks, uniquingKeysWith: min)
    let metadata = pending.filter { change in
      model.block(of: changes[change]).flatMap { firsts[$0] }.map { $0 <= change } ?? false
    }
    // With a journal, data beyond the new end of a truncated file persists only together with the truncation.
    let truncations = model.ordersMetadata ? metadata : []
    let beyond = pending.filter { change in
      truncations.contains { $0 < change && changes[change].liesBeyond(changes[$0]) }
    }
    return Set(missing).union(metadata).union(beyond).sorted()
  }

  /// The limit up to which possible disk states are counted.
  static var uncountable: Double { 1e300 }

  /// Returns the number of disk states that a power cut may leave after `cut` steps (changes and syncs) of the log.
  /// States with torn writes are not counted.
  func possible(at cut: Int) -> Double {
    let pending = pending(at: cut)
    let ordered = Dictionary(grouping: pending.compactMap { model.block(of: changes[$0]) }, by: \.self)
    let free = pending.count - ordered.values.reduce(0) { $0 + $1.count }
    let choices = ordered.values.map { Double($0.count + 1) } + Array(repeating: 2, count: free)
    return choices.reduce(1) { min($0 * $1, Self.uncountable) }
  }

  /// Returns whether the engine recreates a file with this name when the store is opened, such as a file of locks.
  public static func isRebuilt(_ name: String) -> Bool {
    let last = name.split(separator: "/").last ?? ""
    return last.hasSuffix("-shm") || last == "lock.mdb" || last == "mdbx.lck"
  }
}

/// The files at one point of a log of system calls, while the calls are converted to the steps and changes of a
/// ``DiskLog``.
private struct LoggedFiles {
  /// The files after the system calls that have been processed. If the log reuses the number of a removed file, the new
  /// file has another number here.
  var live: ReplayedFiles
  /// The number in ``live`` of each file, by the file's number in the log.
  var numbers: [UInt64: UInt64] = [:]
  var journalless = JournallessMetadata()
  private var made: UInt64 = 0

  init(_ base: ReplayedFiles) {
    live = base
    for file in base.contents.keys { numbers[file] = file }
  }

  mutating func effects(of call: LoggedCall, _ model: DiskModel) throws -> [DiskEffect] {
    if call.kind == .create {
      made += 1
      numbers[call.file] = numbers[call.file] == nil ? call.file : .max - made
    }
    if call.kind == .rename, live.names[call.name] == nil {
      throw CallLogError(
        "the log of calls has a rename of \(call.name), which is not a file, so the log cannot be replayed")
    }
    let file = numbers[call.file]
    let effects = try call.effects(on: file, length: file.flatMap(live.length))
    guard case .write(let file, let start, let data)? = effects.first else { return effects }
    let bare = model.bareLength(from: live.length(of: file) ?? 0, to: start + data.count)
    return (bare.map { [.grow(file, to: $0)] } ?? []) + effects
  }
}

extension DiskLog {
  private mutating func read(_ call: LoggedCall, _ files: inout LoggedFiles) throws {
    if call.kind == .acknowledge {
      if call.acknowledges { acknowledged[steps.count] += 1 }
      return
    }
    let isRebuilt = DiskLog.isRebuilt(call.name) || DiskLog.isRebuilt(call.otherName)
    guard !isRebuilt, !call.failed || call.kind == .write && !call.data.isEmpty else { return }
    var effects = try files.effects(of: call, model)
    if model == .ext4NoJournal { effects = files.journalless.split(effects, files.live) }
    if !effects.isEmpty {
      for (number, effect) in effects.enumerated() {
        var change = DiskChange(step: steps.count, effect: effect)
        change.lengthBefore = change.file.flatMap(files.live.length) ?? 0
        change.isAlone = change.directory.map { !JournallessMetadata.isOneBlock($0, files.live) } ?? false
        if call.kind == .rename, number > 0, case .unlink = effect { change.isSecondHalf = true }
        changes.append(change)
        safe.append(.max)
        files.live.apply(effect)
      }
      steps.append(Step(call: call, isSync: false))
    }
    if call.isSynchronous, !effects.isEmpty {
      // A synchronous write makes itself durable, and also the file's name if a sync of the file does so in this model.
      steps.append(Step(call: call, isSync: true))
      let written = steps.count - 2
      keep { $0.step == written }
      if let file = files.numbers[call.file] { keepWithSync(of: file, &files) }
    } else if call.isSync {
      steps.append(Step(call: call, isSync: true))
      sync(call, &files)
    }
    while acknowledged.count <= steps.count { acknowledged.append(acknowledged[acknowledged.count - 1]) }
  }

  private mutating func sync(_ call: LoggedCall, _ files: inout LoggedFiles) {
    switch call.kind {
    case .syncAll: keep { _ in true }
    case .syncDirectory:
      var directories: Set = [call.name]
      if model == .ext4NoJournal { directories.formUnion(files.journalless.directories(syncedWith: call.name)) }
      keepNames { $0.directory.map(directories.contains) ?? false }
    case .sync:
      guard let file = files.numbers[call.file] else { return }
      keep { $0.file == file && $0.directory == nil }
      keepWithSync(of: file, &files)
    default: break
    }
  }

  private mutating func keepWithSync(of file: UInt64, _ files: inout LoggedFiles) {
    switch model {
    case .strict: break
    case .ext4Like: keepNames { $0.file == file }
    case .ext4NoJournal:
      keep { $0.isMetadata && $0.directory == nil && $0.file == file }
      let directories = files.journalless.directories(syncedWith: file, files.live)
      keepNames { $0.directory.map(directories.contains) ?? false }
    }
  }

  private mutating func keepNames(_ isKept: (DiskChange) -> Bool) {
    guard model.ordersMetadata else {
      keep { $0.directory != nil && isKept($0) }
      if model == .ext4NoJournal { keepNameless() }
      return
    }
    guard let last = changes.last(where: { $0.isMetadata && isKept($0) }) else { return }
    keep { $0.isMetadata && $0.step <= last.step }
  }

  private mutating func keepNameless() {
    for index in changes.indices where safe[index] == .max {
      guard case .free(let file) = changes[index].effect else { continue }
      let step = changes[index].step
      let isNamed = changes.indices.contains {
        changes[$0].step == step && changes[$0].directory != nil && safe[$0] == .max
      }
      if !isNamed { keep { $0.isMetadata && $0.directory == nil && $0.file == file } }
    }
  }

  private mutating func keep(_ isKept: (DiskChange) -> Bool) {
    for index in changes.indices where safe[index] == .max && isKept(changes[index]) { safe[index] = steps.count }
  }
}
