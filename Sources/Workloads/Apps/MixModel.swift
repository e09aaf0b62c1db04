import StorageContract

/// A model that predicts the operations of the workload `mix` and the content of the store, for verification.
struct MixModel {
  /// One operation, such as an update, and the resulting change of the store.
  struct Step {
    var kind: MixOperation.Kind
    var key: Int64
    /// The maximum number of records that a scan reads; 0 for other operations.
    var length = 0
    /// The change of one field by an update or a read-modify-write; nil for other operations.
    var edit: Edit?
    /// The record that the operation stores, or nil if the operation only reads or deletes.
    var record: Record?
    var bytesChanged = 0

    /// The change that the operation commits, or nil for an operation that only reads.
    var change: Change? { kind == .delete ? .delete(key) : record.map { .put($0) } }
  }

  /// A change of a record's modification time and of one field, which is one of ten parts of the payload.
  struct Edit {
    var field: Range<Int>
    var bytes: [UInt8]
    var delay: Double

    /// Applies the edit to a record. If the payload is too short, only the modification time changes.
    func apply(to record: inout Record) {
      if field.upperBound <= record.payload.count { record.payload.replaceSubrange(field, with: bytes) }
      record.modified += delay
    }
  }

  static let fields = 10

  private let context: SessionContext
  private var stream: MixStream
  /// The expected content of the store after all operations passed to ``apply(_:)``.
  private(set) var expectation: Expectation
  private var inserted: [Int64] = []

  init(_ context: SessionContext, _ stream: MixStream) {
    self.context = context
    self.stream = stream
    expectation = Expectation(context.source)
  }

  /// Returns the operation with the given number, from 0, computed from the expected content of the store.
  ///
  /// - Parameter pending: Changed records, by key, to use instead of those in ``expectation``. Nil marks a deleted
  ///   record.
  mutating func step(_ number: Int, after pending: [Int64: Record?] = [:]) -> Step {
    let operation = stream.operation(number)
    let key = operation.kind == .insert ? key(operation.item) : existingKey(operation.item, pending)
    switch operation.kind {
    case .read: return Step(kind: .read, key: key)
    case .scan: return Step(kind: .scan, key: key, length: operation.length)
    case .insert:
      let record = newRecord(operation.item, number)
      return Step(kind: .insert, key: key, record: record, bytesChanged: record.logicalSize)
    case .update, .readModifyWrite:
      // Only existing records are drawn, so a record is missing only if all records have been deleted.
      guard var record = record(key, pending) else { return Step(kind: .read, key: key) }
      let edit = edit(of: record, number)
      edit.apply(to: &record)
      return Step(kind: operation.kind, key: key, edit: edit, record: record, bytesChanged: edit.bytes.count + 8)
    case .delete:
      guard let record = record(key, pending) else { return Step(kind: .read, key: key) }
      return Step(kind: .delete, key: key, bytesChanged: record.logicalSize)
    }
  }

  private func record(_ key: Int64, _ pending: [Int64: Record?]) -> Record? { pending[key] ?? expectation.record(key) }

  /// Returns the key of the record inserted as number `item`. If that record is deleted, returns the key of the next
  /// existing record in the order of insertion.
  private func existingKey(_ item: Int, _ pending: [Int64: Record?]) -> Int64 {
    guard stream.settings.shares[.delete] != nil else { return key(item) }
    let items = (0..<stream.there).lazy.map { (item + $0) % stream.there }
    return key(items.first { record(key($0), pending) != nil } ?? item)
  }

  /// Returns the operation with the given number, from 0, and the key of its record, which may already be deleted.
  mutating func operation(_ number: Int) -> (operation: MixOperation, key: Int64) {
    let operation = stream.operation(number)
    return (operation, key(operation.item))
  }

  mutating func apply(_ step: Step) {
    guard let change = step.change else { return }
    if step.kind == .insert { inserted.insert(step.key, at: insertedIndex(step.key)) }
    expectation.apply(change)
  }

  /// Returns the records that a scan should find, in key order: at most `length` records, beginning at `key`.
  func records(from key: Int64, length: Int) -> [Record] {
    let source = context.source
    var index = source.index(ofFirstFrom: key)
    var other = insertedIndex(key)
    var records: [Record] = []
    while records.count < length, index < source.count || other < inserted.count {
      let isOfSource = index < source.count && (other == inserted.count || source.key(at: index) < inserted[other])
      let next = isOfSource ? source.key(at: index) : inserted[other]
      if isOfSource { index += 1 } else { other += 1 }
      expectation.record(next).map { records.append($0) }
    }
    return records
  }

  private func insertedIndex(_ key: Int64) -> Int { inserted.partitioningIndex { $0 >= key } }

  private func key(_ item: Int) -> Int64 {
    if stream.settings.isHashed { return HashedRecords.key(item) }
    let source = context.source
    return item < source.count ? source.key(at: item) : source.unusedKey(item - source.count)
  }

  private func newRecord(_ item: Int, _ number: Int) -> Record {
    let source = context.source
    var record = context.edited(source.record(at: item % source.count), number)
    if stream.settings.isHashed { return HashedRecords.record(item, payload: record.payload) }
    record.id = key(item)
    return record
  }

  private func edit(of record: Record, _ number: Int) -> Edit {
    var random = RandomStream(seed: context.seed, .change, number)
    let (field, length) = (random.below(Self.fields), record.payload.count)
    let range = field * length / Self.fields..<(field + 1) * length / Self.fields
    return Edit(field: range, bytes: GeneratedRecords.payload(range.count, .random, &random), delay: Double(number + 1))
  }
}
