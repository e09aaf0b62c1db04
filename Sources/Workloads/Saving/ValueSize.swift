import StorageContract

/// A workload that saves or reads values of a given size, in the records or in separate files beside the store.
struct ValueSize: Workload {
  static let bytes = OptionSpec("bytes", ["100", "1k", "10k", "100k", "1M"], help: "the length of a value")
  static let placement = OptionSpec(
    "place", ["inline", "beside"], help: "keep values in their records, or each in a file that its record names")
  static let action = OptionSpec("do", ["save", "read"], help: "replace a value and commit, or find a value by key")

  static let description = WorkloadDescription(
    id: "value-size", question: "From which size on does a value belong in a file beside the store?",
    operation: """
      replace or read one whole value; values of the given length in some of the records, at most 64 of them and 8 MB
      """,
    options: [bytes, placement, action, TogetherOption.spec], access: .writes,
    accessWith: { $0[action] == "save" ? .writes : .reads }, capability: TogetherOption.capability,
    obstacle: { options, store in
      if TogetherOption.count(options) > 1, options[action] == "save" || options[placement] == "beside" {
        return "only values in records are read together"
      }
      // An operation keeps all values that it has read.
      if TogetherOption.count(options) * (Quantity.bytes(options[bytes]) ?? 0) > 256_000_000 {
        return "one operation would read more than 256 MB at once"
      }
      guard options[placement] == "beside", options[action] == "read", !store.backend.description.isVerifiable else {
        return nil
      }
      return "it gives back nothing that was stored, and so no name of a file"
    })

  let options: Options

  private var size: Int { Quantity.bytes(options[Self.bytes]) ?? 100 }

  /// Returns a number of saves that write at most 16 MB of values.
  func countedOperations(records: Int, kind: EngineKind) -> Int {
    options[Self.action] == "read"
      ? max(2, 8 / TogetherOption.count(options))
      : min(CountedOperations.saves.number(records: records, kind: kind), 256, 16_000_000 / size)
  }

  func session(_ context: SessionContext) -> any WorkloadSession {
    let values = LargeValues(context, size: size, isBeside: options[Self.placement] == "beside")
    if options[Self.action] == "save" { return ValueSavingSession(values) }
    let together = TogetherOption.count(options)
    return together > 1 ? values.readingSession(together) : ValueReadingSession(values)
  }
}

/// The records with large values, called slots and numbered from 0. An operation reads or replaces one slot's value.
private struct LargeValues {
  let context: SessionContext
  let size: Int
  let files: ValueFiles?
  let count: Int

  init(_ context: SessionContext, size: Int, isBeside: Bool) {
    self.context = context
    self.size = size
    count = min(context.source.count, 64, max(1, 8_000_000 / size))
    let environment = context.environment
    // Files are synced if the backend promises that a power cut does not damage the store.
    let isSynced = environment.promises(.intact, by: context.backend)
    files = isBeside ? ValueFiles(directory: "\(environment.directory)/values", isSynced: isSynced) : nil
  }

  private func index(_ slot: Int) -> Int { slot * context.source.count / count }

  func key(_ slot: Int) -> Int64 { context.source.key(at: index(slot)) }

  func slot(_ operation: Int) -> Int { context.drawn(operation, below: max(1, count)) }

  /// Returns a large value of a record: the initial value, or the value that an operation saves.
  ///
  /// - Parameters:
  ///   - slot: The number of the record, from 0.
  ///   - version: The number of the operation that saves the value, from 0, or -1 for the initial value.
  func value(_ slot: Int, version: Int) -> [UInt8] {
    // Each slot has a different initial value.
    var random = RandomStream(seed: context.seed, .change, version < 0 ? -1 - slot : version)
    return GeneratedRecords.payload(size, .random, &random)
  }

  /// Returns the record of a slot with a value as payload, or, if values are kept in files, the file's name.
  func record(_ slot: Int, version: Int, holding value: [UInt8]? = nil) -> Record {
    var record = context.source.record(at: index(slot))
    record.modified += Double(version + 1)
    record.payload =
      files == nil ? value ?? self.value(slot, version: version) : Array(Self.name(record.id, version).utf8)
    return record
  }

  /// Returns the name of a value's file: the record's key and the version plus 1, such as `17-3` for key 17 and version
  /// 2.
  static func name(_ key: Int64, _ version: Int) -> String { "\(key)-\(version + 1)" }

  /// Opens a store and saves the initial large values, in at most 64 records or files.
  func open() throws -> any StorageBackend {
    let store = try context.open()
    try files?.start()
    var changes: [Change] = []
    for slot in 0..<count {
      let value = value(slot, version: -1)
      let record = record(slot, version: -1, holding: value)
      try files?.write(value, to: Self.name(record.id, -1))
      changes.append(.put(record))
    }
    try store.commit(changes)
    try store.settle()
    return store
  }

  /// Returns the expected content of the store and of the separate files with large values.
  ///
  /// - Parameter versions: The number of the operation that last saved each large value, or -1 for an initial value.
  func expectation(_ versions: [Int]) -> Expectation {
    var expectation = Expectation(context.source).after(versions.enumerated().map { .put(record($0, version: $1)) })
    if let files {
      expectation.alsoCheck { totals in
        let values = versions.enumerated().map { (Self.name(key($0), $1), value($0, version: $1)) }
        try files.check(Dictionary(uniqueKeysWithValues: values), &totals)
      }
    }
    return expectation
  }

  /// Returns, for each large value, the number of the operation that last saved it, or -1 for an initial value.
  func versions(after operations: Int) -> [Int] {
    var versions = Array(repeating: -1, count: count)
    if count > 0 { for operation in 0..<operations { versions[slot(operation)] = operation } }
    return versions
  }

  var blockSize: Int { max(1, min(256, (16 << 20) / size)) }

  func readingSession(_ together: Int) -> TogetherReadingSession {
    let records = (0..<count).map { record($0, version: -1) }
    return TogetherReadingSession(
      context, count: together, recordBytes: size, keys: { key(slot($0)) },
      making: {
        // A store in memory has separate contents for one and for many threads, so the records are saved here.
        let store = try context.openShared().value
        try store.write { transaction in for record in records { try transaction.put(record) } }
        try store.settle()
        try context.closeShared(store)
        try context.cool()
      }, expected: Expectation(context.source).after(records.map { .put($0) }))
  }
}

private final class ValueSavingSession: SessionStore, StoreSession {
  var blockSize: Int { values.blockSize }
  private let values: LargeValues
  private var versions: [Int]
  private var block = Block<(slot: Int, value: [UInt8], change: [Change], old: String, new: String)>()

  init(_ values: LargeValues) {
    self.values = values
    versions = values.versions(after: 0)
    super.init(values.context)
  }

  func setUp() throws { store = try values.open() }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations) { operation in
      let slot = values.slot(operation)
      let value = values.value(slot, version: operation)
      let record = values.record(slot, version: operation, holding: value)
      let old = LargeValues.name(record.id, versions[slot])
      versions[slot] = operation
      return (slot, value, [.put(record)], old, LargeValues.name(record.id, operation))
    }
  }

  func perform(_ operation: Int) throws {
    let save = block[operation]
    // The new file is written first and the old file deleted last, so that no record ever names a missing file.
    if let files = values.files {
      try files.write(save.value, to: save.new)
      context.acknowledged?(true)
    }
    try store.unsafelyUnwrapped.commit(save.change)
    context.acknowledged?(true)
    try values.files?.remove(save.old)
  }

  func endsInSave(_ operation: Int) -> Bool { false }

  func bytesChanged(by operations: Int) -> Int { operations * (values.size + 8) }

  func expectation(after operations: Int) -> Expectation { values.expectation(values.versions(after: operations)) }

  func hash(_ operation: Int, into hash: inout StableHash) {
    // The first random number identifies the value, which takes long to generate.
    var random = RandomStream(seed: context.seed, .change, operation)
    hash.add(UInt64(values.slot(operation)))
    hash.add(random.next())
  }
}

private final class ValueReadingSession: SessionStore, StoreSession {
  var blockSize: Int { values.blockSize }
  private let values: LargeValues
  private var block = Block<Int64>()
  private var found: [[UInt8]?] = []

  init(_ values: LargeValues) {
    self.values = values
    super.init(values.context)
  }

  func setUp() throws {
    let store = try values.open()
    // The store is reopened, so that values are not read from the engine's memory.
    try context.close(store)
    try context.cool()
    self.store = try context.open()
  }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations) { values.key(values.slot($0)) }
    found = Array(repeating: nil, count: operations.count)
  }

  func perform(_ operation: Int) throws {
    let index = block.index(of: operation)
    let record = try store.unsafelyUnwrapped.record(block[operation], in: .records)
    if let files = values.files {
      found[index] = try record.map { try files.read(String(decoding: $0.payload, as: UTF8.self)) }
    } else {
      found[index] = record?.payload
    }
  }

  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    for operation in operations {
      let (slot, key) = (values.slot(operation), block[operation])
      guard let found = found[block.index(of: operation)] else { throw VerificationError(key: key, "is missing") }
      if found != values.value(slot, version: -1) {
        throw VerificationError(key: key, "has a wrong value")
      }
    }
  }

  func finish() throws {
    (block, found) = (Block(), [])
    try close()
  }

  func expectation(after operations: Int) -> Expectation { values.expectation(values.versions(after: 0)) }

  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(values.slot(operation))) }
}
