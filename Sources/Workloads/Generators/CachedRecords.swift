import StorageContract

/// A source that makes each record once: checking a million fast reads would otherwise take longer than they did.
///
/// - Important: For one thread, as a trial's own.
final class CachedRecords: RecordSource, @unchecked Sendable {
  private let source: any RecordSource
  /// The records as far as they were made. Not an array of optionals: an access check for each of a million look-ups
  /// would be felt, and so would be the copies of what is taken out of an optional.
  private let records: UnsafeMutablePointer<Record>
  /// The records that were made.
  private let isMade: UnsafeMutableBufferPointer<Bool>

  /// More records than this are made anew each time: the cache would outgrow what is measured.
  private static let limit = 65_536

  /// - Parameter keeps: Whether records are kept at all: where memory is short, it is the store's.
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

  /// The source itself, which any thread may ask.
  var uncached: any RecordSource { source }

  var count: Int { source.count }

  func key(at index: Int) -> Int64 { source.key(at: index) }

  func index(of key: Int64) -> Int? { source.index(of: key) }

  func record(at index: Int) -> Record {
    guard !isMade.isEmpty else { return source.record(at: index) }
    keep(index)
    return records[index]
  }

  /// Returns whether a record is the one at an index, bit for bit.
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
