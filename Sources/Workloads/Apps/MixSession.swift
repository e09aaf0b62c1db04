import StorageContract

/// A session of the workload `mix`. It keeps the results of reads, or only checksums if memory is measured.
final class MixSession: SessionStore, StoreSession {
  let blockSize: Int
  let kinds = MixOperation.Kind.allCases.map(\.rawValue)
  private let stream: MixStream
  /// The expected content of the store after the operations verified so far.
  private var model: MixModel
  private var steps: [MixModel.Step] = []
  private var changes: [[Change]] = []
  private var seen: [Seen] = []
  private var blockStart = 0

  private enum Seen {
    case nothing
    case record(Record?)
    case records([Record])
    case sum(UInt64)
  }

  init(_ context: SessionContext, _ stream: MixStream, indexes: [RecordField] = []) {
    self.stream = stream
    model = MixModel(context, stream)
    // Records read in a block stay in memory until verification, so their size limits the block.
    let records = stream.settings.shares[.scan] == nil ? 1 : stream.settings.longestScan
    blockSize = max(1, min(256, (16 << 20) / (context.recordBytes + 100) / records))
    super.init(context, indexedFields: indexes)
  }

  func prepare(_ operations: Range<Int>) {
    // The records of the last block are freed here, outside the timed part.
    seen = Array(repeating: .nothing, count: operations.count)
    blockStart = operations.lowerBound
    var pending: [Int64: Record?] = [:]
    steps = operations.map { operation in
      let step = model.step(operation, after: pending)
      if step.change != nil { pending[step.key] = .some(step.record) }
      return step
    }
    changes = steps.map { $0.change.map { [$0] } ?? [] }
  }

  func kind(of operation: Int) -> Int {
    MixOperation.Kind.allCases.firstIndex(of: steps[operation - blockStart].kind) ?? 0
  }

  func perform(_ operation: Int) throws { try perform(operation..<operation + 1) {} }

  func perform(_ operations: Range<Int>, lap: () -> Void) throws { try run(store.unsafelyUnwrapped, operations, lap) }

  /// Performs several operations, and calls `lap` after each one. Generic, to avoid dynamic dispatch.
  private func run<Store: StorageBackend>(_ store: Store, _ operations: Range<Int>, _ lap: () -> Void) throws {
    let (steps, changes, isVerifiable) = (steps, changes, context.isVerifiable)
    for index in operations.lowerBound - blockStart..<operations.upperBound - blockStart {
      let key = steps[index].key
      switch steps[index].kind {
      case .read: seen[index] = keep(try store.record(key, in: .records))
      case .update, .insert, .delete: try store.commit(changes[index])
      case .scan: seen[index] = keep(try scan(store, from: key, length: steps[index].length))
      case .readModifyWrite:
        let found = try store.record(key, in: .records)
        seen[index] = keep(found)
        // A backend that stores nothing has no record to change.
        guard isVerifiable else {
          try store.commit(changes[index])
          break
        }
        guard var record = found, let edit = steps[index].edit else { break }
        edit.apply(to: &record)
        try store.commit([.put(record)])
      }
      lap()
    }
  }

  private func scan<Store: StorageBackend>(_ store: Store, from key: Int64, length: Int) throws -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(min(length, context.source.count))
    try store.scan(key...Int64.max, in: .records) { view in
      records.append(view.record())
      return records.count < length
    }
    return records
  }

  private func keep(_ record: Record?) -> Seen { context.isCounting ? .sum(Self.sum(record)) : .record(record) }

  private func keep(_ records: [Record]) -> Seen { context.isCounting ? .sum(Self.sum(records)) : .records(records) }

  private static func sum(_ record: Record?) -> UInt64 { record.map { $0.withView(ByteSum.of) } ?? 0 }

  private static func sum(_ records: [Record]) -> UInt64 { records.reduce(1) { $0 &* 31 &+ sum($1) } }

  func endsInSave(_ operation: Int) -> Bool { steps[operation - blockStart].change != nil }

  func verify(_ operations: Range<Int>) throws {
    for operation in operations {
      let step = steps[operation - blockStart]
      if context.isVerifiable { try check(seen[operation - blockStart], step) }
      model.apply(step)
    }
  }

  private func check(_ seen: Seen, _ step: MixModel.Step) throws {
    switch (seen, step.kind) {
    case (.record(let record), _):
      try Expectation.compare(record, with: model.expectation.record(step.key), key: step.key)
    case (.records(let records), _):
      try Expectation.compare(
        records, with: model.records(from: step.key, length: step.length), missing: "is missing in a scan",
        extra: "is in a scan but should not be")
    case (.sum(let sum), .scan):
      guard sum != Self.sum(model.records(from: step.key, length: step.length)) else { return }
      throw VerificationError(
        key: step.key,
        "is the first record of a scan that returned other records or bytes than were saved, at this record or later")
    case (.sum(let sum), _):
      guard sum != Self.sum(model.expectation.record(step.key)) else { return }
      throw VerificationError(
        key: step.key, sum == 0 ? "is missing" : "was read with different bytes from those that were saved")
    case (.nothing, _): break
    }
  }

  private func model(after operations: Int) -> MixModel {
    (0..<operations).reduce(into: MixModel(context, stream)) { $0.apply($0.step($1)) }
  }

  func bytesChanged(by operations: Int) -> Int { model(after: operations).bytesChanged }

  func expectation(after operations: Int) -> Expectation { model(after: operations).expectation }

  func hash(_ operation: Int, into hash: inout StableHash) {
    let (operation, key) = model.operation(operation)
    hash.add(operation.kind.rawValue)
    hash.add(UInt64(bitPattern: key))
    hash.add(UInt64(operation.length))
  }
}
