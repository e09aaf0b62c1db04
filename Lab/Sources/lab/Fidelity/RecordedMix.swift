import CBaseline
import StorageContract
import StorageWorkloads

/// The operations of a mix as performed by the suite's own session, recorded for C.
///
/// Half of them read a record, half store one. An update takes as long as a hundred reads, so both sides must perform
/// exactly the same operations in the same order.
final class RecordedMix {
  /// One operation: a key to read or a record to store.
  enum Step {
    case read(Int64)
    case save(Record)
  }

  let steps: [Step]
  /// The stored records in order, for C.
  private let saved: CRecords

  /// Records the operations of a session on a store that returns nothing.
  init(_ context: (any StorageBackend.Type, StoreEnvironment) -> SessionContext, operations: Int) throws {
    let log = StepLog()
    StepRecorder.log = log
    defer { StepRecorder.log = StepLog() }
    let session = try Mix.halfReads.session(context(StepRecorder.self, StoreEnvironment(directory: "/nonexistent")))
    try session.setUp()
    try session.prepare(0..<operations)
    for operation in 0..<operations { try session.perform(operation) }
    steps = log.steps
    saved = CRecords(
      log.steps.compactMap { step in
        guard case .save(let record) = step else { return nil }
        return record
      })
  }

  /// Performs the same operations in C. A read produces a record of Swift values, as in `read-one`.
  func run(_ store: CStore, sink: inout Int) throws {
    var record = cb_record()
    var next = 0
    for step in steps {
      switch step {
      case .read(let key):
        try need(cb_get(store.pointer, key, &record))
        sink &+= record.record.payload.count
        cb_done(store.pointer)
      case .save:
        try need(saved.records.withUnsafeBufferPointer { cb_save_each(store.pointer, $0.baseAddress! + next, 1) })
        next += 1
      }
    }
  }
}

extension Mix {
  /// YCSB's workload A without its hashed keys: half reads, half updates, with a Zipf distribution of records.
  static var halfReads: Mix {
    get throws {
      try Mix(options: Options(parsing: ["read=50", "update=50"], specs: description.options, owner: "workload mix"))
    }
  }
}

/// The operations recorded by a ``StepRecorder``.
final class StepLog {
  var steps: [RecordedMix.Step] = []
}

/// A store that records the operations requested of it.
private final class StepRecorder: StorageBackend {
  nonisolated(unsafe) static var log = StepLog()

  static let description = BackendDescription(
    id: "recorder", summary: "writes down what it is asked for", safety: "Nothing is stored.",
    kind: { _ in .memory }, engineVersion: { "none" }, isVerifiable: false)

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.volatile) }

  init(opening environment: StoreEnvironment) throws {}

  var settings: String { "" }

  func commit(_ changes: [Change]) throws { Self.log.steps += changes.map { .save($0.record) } }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    Self.log.steps.append(.read(key))
    return false
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {}

  func count(in collection: CollectionID) throws -> Int { 0 }

  func close() throws {}
}
