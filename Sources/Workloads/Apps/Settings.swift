import StorageContract

/// A workload that reads and changes a hundred settings, as apps use UserDefaults. Most accesses are reads.
struct Settings: Workload {
  static let flush = OptionSpec(
    "flush", ["each", "last"],
    help: "flush every change, or keep changes in the app's memory and flush those of ten operations in one commit")

  static let description = WorkloadDescription(
    id: "settings", question: "What do an app's settings cost?",
    operation: "read nine settings and change one, flushed: by turns a value, a flag, and a list of the last four",
    options: [flush], access: .writes, records: 100, collections: ["settings"])

  let options: Options

  /// The number of operations whose changes are saved in one commit.
  private var operationsPerFlush: Int { options[Self.flush] == "last" ? 10 : 1 }

  /// With `flush=last`, the number is a multiple of ten, because ten operations share one commit.
  func countedOperations(records: Int, kind: EngineKind) -> Int {
    let changes = CountedOperations.changes.number(records: records, kind: kind)
    return (changes + operationsPerFlush - 1) / operationsPerFlush * operationsPerFlush
  }

  func fixture(of source: any RecordSource) -> Fixture {
    Fixture(RecordList((1...100).map { Setting.record($0, after: nil, seed: 0) }))
  }

  func session(_ context: SessionContext) -> any WorkloadSession { SettingsSession(context, operationsPerFlush) }
}

/// The keys and values of the hundred settings of a simulated app: a flag, a list of recent searches, and 98 texts.
enum Setting {
  static let flag: Int64 = 1
  static let recent: Int64 = 2
  /// The first texts that the simulated user searches for. All later texts are random numbers.
  static let firstRecent = ["1800", "1200", "1803", "1801", "1000"]

  static func changed(by operation: Int, seed: UInt64) -> Int64 {
    switch operation % 3 {
    case 0: flag
    case 1: recent
    default: 3 + Int64(random(operation, seed).0)
    }
  }

  /// Returns the number (0 to 97) of a random setting whose value is a text, and a random new text for that setting.
  static func random(_ operation: Int, _ seed: UInt64) -> (Int, String) {
    var random = RandomStream(seed: seed, .change, operation)
    return (random.below(98), String(random.below(1_000_000)))
  }

  /// Returns the text that the simulated user searches for in an operation, such as `1800`.
  static func lookedUp(by operation: Int, seed: UInt64) -> String {
    let position = operation / 3
    return position < firstRecent.count ? firstRecent[position] : random(operation, seed).1
  }

  /// Returns a list with a text appended as a line, cut to the last four lines.
  static func remember(_ text: String, in list: String) -> String {
    (list.split(separator: "\n") + [text[...]]).suffix(4).joined(separator: "\n")
  }

  /// Returns the record of an app's setting after an operation that changes it, or the initial record.
  static func record(_ key: Int64, after operation: Int?, seed: UInt64) -> Record {
    let operations = operation.map { $0 + 1 } ?? 0
    return switch key {
    case flag: record(key, "autoLogin", (operations + 2) / 3 % 2 == 0 ? "false" : "true")
    case recent:
      record(
        key, "recent",
        stride(from: 1, to: operations, by: 3).suffix(4).map { lookedUp(by: $0, seed: seed) }
          .joined(separator: "\n"))
    default: record(key, "setting \(key)", operation.map { random($0, seed).1 } ?? "value of \(key)")
    }
  }

  private static func record(_ key: Int64, _ name: String, _ value: String) -> Record {
    Record(id: key, name: name, group: "", score: 0, modified: 0, payload: Array(value.utf8))
  }
}

private final class SettingsSession: SessionStore, ChangingSession {
  let blockSize = 64
  private var block = Block<[Int64]>()
  private var found: [[Record?]] = []
  private var state: Expectation
  private let operationsPerFlush: Int
  /// The changed settings, by key, that are not saved yet. Reads look here before the store.
  private var kept: [Int64: Record] = [:]

  init(_ context: SessionContext, _ operationsPerFlush: Int) {
    self.operationsPerFlush = operationsPerFlush
    state = Expectation(context.fixture)
    super.init(context)
  }

  private func keys(_ operation: Int) -> [Int64] {
    var random = RandomStream(seed: context.seed, .key, operation)
    return (0..<9).map { _ in Int64(random.below(100)) + 1 }
  }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, keys)
    found = []
    found.reserveCapacity(operations.count)
  }

  func perform(_ operation: Int) throws {
    let store = store.unsafelyUnwrapped
    var read = try block[operation].map { try kept[$0] ?? store.record($0, in: .records) }
    let key = Setting.changed(by: operation, seed: context.seed)
    if var record = try kept[key] ?? store.record(key, in: .records) {
      read.append(record)
      let value = String(decoding: record.payload, as: UTF8.self)
      record.payload = Array(changed(value, of: key, by: operation).utf8)
      if operationsPerFlush == 1 { try store.commit([.put(record)]) } else { kept[key] = record }
    }
    if endsInSave(operation) { try flush() }
    found.append(read)
  }

  private func flush() throws {
    guard !kept.isEmpty else { return }
    try store?.commit(kept.values.sorted { $0.id < $1.id }.map { .put($0) })
    kept = [:]
  }

  func endsInSave(_ operation: Int) -> Bool { (operation + 1) % operationsPerFlush == 0 }

  func finish() throws {
    try flush()
    try store?.settle()
    try close()
  }

  private func changed(_ value: String, of key: Int64, by operation: Int) -> String {
    switch key {
    case Setting.flag: value == "true" ? "false" : "true"
    case Setting.recent: Setting.remember(Setting.lookedUp(by: operation, seed: context.seed), in: value)
    default: Setting.random(operation, context.seed).1
    }
  }

  func verify(_ operations: Range<Int>) throws {
    for (operation, read) in zip(operations, found) where context.isVerifiable {
      let changed = Setting.changed(by: operation, seed: context.seed)
      for (index, key) in (keys(operation) + [changed]).enumerated() {
        try Expectation.compare(index < read.count ? read[index] : nil, with: state.record(key), key: key)
      }
      state.apply(changes(operation))
    }
  }

  func changes(_ operation: Int) -> [Change] {
    let key = Setting.changed(by: operation, seed: context.seed)
    return [.put(Setting.record(key, after: operation, seed: context.seed))]
  }

  func bytesChanged(by operations: Int) -> Int {
    (0..<operations).lazy.flatMap(changes).reduce(0) { $0 + $1.record.payload.count }
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    keys(operation).forEach { hash.add(UInt64(bitPattern: $0)) }
    for change in changes(operation) { change.record.withView { hash.add($0) } }
  }
}
