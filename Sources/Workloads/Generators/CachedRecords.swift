import StorageContract

/// A cache of the records that a store should return, for fast checks. The cache may be used on one thread only.
final class CachedRecords: RecordSource, @unchecked Sendable {
  /// The source of the cached records. Unlike the cache, the source may be used on any thread.
  let source: any RecordSource
  /// The memory for the cached records. A pointer is faster than an array of optionals.
  private let records: UnsafeMutablePointer<Record>
  private let isMade: UnsafeMutableBufferPointer<Bool>

  /// The maximum number of cached records. A source with more records is not cached at all, to save memory.
  private static let limit = 65_536

  /// Creates a cache of a source's records. If `keeps` is false, no record is cached, which saves memory.
  init(_ source: any RecordSource, keeps: Bool = true) {
    self.source = source
    isMade = .allocate(capacity: keeps && source.count <= Self.limit ? source.count : 0)
    isMade.initialize(repeating: false)
    records = .allocate(capacity: isMade.count)
  }

  deinit {
    for index in isMade.indices where isMade[index] { (records + index).deinitialize(count: 1) }
    records.deallocate()
    isMade.deallocate()
  }

  var count: Int { source.count }

  func key(at index: Int) -> Int64 { source.key(at: index) }

  func index(of key: Int64) -> Int? { source.index(of: key) }

  func record(at index: Int) -> Record {
    guard !isMade.isEmpty else { return source.record(at: index) }
    keep(index)
    return records[index]
  }

  func isRecord(_ record: borrowing Record, at index: Int) -> Bool {
    guard !isMade.isEmpty else { return record.isIdentical(to: source.record(at: index)) }
    keep(index)
    return records[index].isIdentical(to: record)
  }

  func isRecord(_ view: RecordView, at index: Int) -> Bool {
    guard !isMade.isEmpty else { return source.record(at: index).isIdentical(to: view) }
    keep(index)
    return records[index].isIdentical(to: view)
  }

  private func keep(_ index: Int) {
    if isMade[index] { return }
    (records + index).initialize(to: source.record(at: index))
    isMade[index] = true
  }
}
