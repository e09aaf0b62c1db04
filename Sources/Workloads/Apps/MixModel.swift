import StorageContract

/// The expected content of a store during a mix, and the writes of each operation.
struct MixModel {
  /// The effect of one operation on the store.
  struct Step {
    var kind: MixOperation.Kind
    var key: Int64
    /// Records of a scan at most.
    var length = 0
    /// The changed part of the record, for an update or a read-modify-write.
    var edit: Edit?
    /// The value under the key afterwards, if it changes.
    var record: Record?
    /// Logical bytes that change.
    var bytesChanged = 0
  }

  /// A change of one of the ten fields that the payload stands for, and of the time of change.
  struct Edit {
    var field: Range<Int>
    var bytes: [UInt8]
    var delay: Double

    /// Makes the change. What a wrong store gave may be too short for it: the check of what was read will say so.
    func apply(to record: inout Record) {
      if field.upperBound <= record.payload.count { record.payload.replaceSubrange(field, with: bytes) }
      record.modified += delay
    }
  }

  /// Fields of a record, as YCSB has them.
  static let fields = 10

  private let context: SessionContext
  private var stream: MixStream
  /// The state after the operations that were applied.
  private(set) var expectation: Expectation
  /// Keys that the source does not have, ascending.
  private var inserted: [Int64] = []

  init(_ context: SessionContext, _ stream: MixStream) {
    self.context = context
    self.stream = stream
    expectation = Expectation(context.source)
  }

  /// Returns the effect of an operation after pending changes of earlier operations.
  mutating func step(_ number: Int, after pending: [Int64: Record] = [:]) -> Step {
    let operation = stream.operation(number)
    let key = key(operation.item)
    switch operation.kind {
    case .read: return Step(kind: .read, key: key)
    case .scan: return Step(kind: .scan, key: key, length: operation.length)
    case .insert:
      let record = newRecord(operation.item, number)
      return Step(kind: .insert, key: key, record: record, bytesChanged: record.logicalSize)
    case .update, .readModifyWrite:
      // Only what is there is drawn.
      guard var record = pending[key] ?? expectation.record(key) else { return Step(kind: .read, key: key) }
      let edit = edit(of: record, number)
      edit.apply(to: &record)
      return Step(
        kind: operation.kind, key: key, edit: edit, record: record, bytesChanged: edit.bytes.count + 8)
    }
  }

  /// Returns the operation itself, for its hash.
  mutating func operation(_ number: Int) -> (operation: MixOperation, key: Int64) {
    let operation = stream.operation(number)
    return (operation, key(operation.item))
  }

  /// Takes over what a step has changed.
  mutating func apply(_ step: Step) {
    guard let record = step.record else { return }
    if step.kind == .insert {
      inserted.insert(step.key, at: placeInInserted(step.key))
    }
    expectation.apply(.put(record))
  }

  /// Returns the records from a key on, in key order.
  func records(from key: Int64, length: Int) -> [Record] {
    let source = context.source
    var place = source.place(ofFirstFrom: key)
    var other = placeInInserted(key)
    var records: [Record] = []
    while records.count < length, place < source.count || other < inserted.count {
      let isOfSource = place < source.count && (other == inserted.count || source.key(at: place) < inserted[other])
      let next = isOfSource ? source.key(at: place) : inserted[other]
      if isOfSource { place += 1 } else { other += 1 }
      expectation.record(next).map { records.append($0) }
    }
    return records
  }

  /// Returns the first place of ``inserted`` whose key is not below another.
  private func placeInInserted(_ key: Int64) -> Int {
    var (low, high) = (0, inserted.count)
    while low < high {
      let middle = (low + high) / 2
      if inserted[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

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
    return Edit(
      field: range, bytes: GeneratedRecords.payload(range.count, .random, &random), delay: Double(number + 1))
  }
}
