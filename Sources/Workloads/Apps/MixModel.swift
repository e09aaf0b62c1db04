import StorageContract

/// A model that predicts the operations of the workload `mix` and the content of the store, for verification.
struct MixModel {
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
  private var source: any RecordSource { context.source }
  private var stream: MixStream
  /// The expected content of the store after all operations passed to ``apply(_:)``.
  private(set) var expectation: Expectation
  private(set) var bytesChanged = 0
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
    bytesChanged += step.bytesChanged
  }

  func records(from key: Int64, length: Int) -> [Record] {
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
    return item < source.count ? source.key(at: item) : source.unusedKey(item - source.count)
  }

  private func newRecord(_ item: Int, _ number: Int) -> Record {
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

struct MixOperation: Equatable {
  enum Kind: String, CaseIterable, Sendable {
    case read
    /// A change of one field of a record and of its modification time, without reading the record first.
    case update
    case insert
    /// A read of successive records in key order.
    case scan
    /// A read of a record, then a save of that record with one field and the modification time changed.
    case readModifyWrite = "rmw"
    case delete
  }

  var kind: Kind
  /// The number of the record that the operation uses or adds, counted from 0 in the order of insertion.
  var item: Int
  /// The maximum number of records that a scan reads; 0 for other operations.
  var length: Int
}

/// A generator of random operations for the workload `mix`. A request for an earlier operation restarts the generator.
struct MixStream {
  let settings: MixSettings
  private let seed: UInt64
  let items: Int
  private let bounds: [(kind: MixOperation.Kind, bound: Double)]
  private let generator: ItemGenerator
  private var next = 0
  /// The number of records inserted before the current operation, including initial and deleted records.
  private(set) var there: Int

  init(_ settings: MixSettings, seed: UInt64, items: Int) {
    self.settings = settings
    self.seed = seed
    self.items = items
    there = items
    var sum = 0.0
    bounds = MixOperation.Kind.allCases.compactMap { kind in
      guard let share = settings.shares[kind], share > 0 else { return nil }
      sum += share
      return (kind, sum)
    }
    // YCSB reserves room for twice the insertions expected in as many operations as there are records.
    let room = Int((2 * Double(items) * (settings.shares[.insert] ?? 0) / 100).rounded(.up))
    generator = settings.distribution.generator(items: items, room: room)
  }

  mutating func operation(_ number: Int) -> MixOperation {
    if number < next { (next, there) = (0, items) }
    while next < number {
      if kind(next) == .insert { there += 1 }
      next += 1
    }
    let kind = kind(number)
    if kind == .insert { return MixOperation(kind: kind, item: there, length: 0) }
    var random = RandomStream(seed: seed, .key, number)
    let item = generator(there, &random)
    let length = kind == .scan ? 1 + RandomStream.number(below: settings.longestScan, seed: seed, .length, number) : 0
    return MixOperation(kind: kind, item: item, length: length)
  }

  private func kind(_ number: Int) -> MixOperation.Kind {
    var random = RandomStream(seed: seed, .kind, number)
    let share = random.fraction() * 100
    return bounds.first { share < $0.bound }?.kind ?? bounds[bounds.count - 1].kind
  }
}
