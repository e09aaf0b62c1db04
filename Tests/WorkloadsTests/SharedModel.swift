import Foundation
import StorageContract

/// A shared store in a dictionary with a choice of faults, like ``ModelStore``.
///
/// With a fault, it sleeps at critical points, so that races between two threads do occur.
final class SharedModel: SharedStore, @unchecked Sendable {
  enum Fault: String, CaseIterable, Sendable {
    case none
    /// Readers see the changes of a write that has not ended.
    case showsHalf
    /// Readers see the state before the last write.
    case showsThePast
    /// The changes of a block that failed are kept.
    case keepsFailedWrites
    /// Writers do not wait for each other, so the second overwrites the changes of the first.
    case losesRaces
    /// Every tenth write is acknowledged but not made.
    case losesWrites
    /// The error of a failed block does not reach the caller.
    case swallowsErrors
  }

  let settings = "model"
  private let fault: Fault
  private let lock = NSLock()
  private let writing = NSLock()
  private var records: [Int64: Record]
  private var before: [Int64: Record]
  private var writes = 0

  init(_ records: [Record], _ fault: Fault = .none) {
    self.fault = fault
    self.records = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })
    before = self.records
  }

  private var state: [Int64: Record] { lock.withLock { records } }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    // Readers wait, so that they overlap with the next write.
    switch fault {
    case .showsHalf:
      usleep(100)
      return try body(View { self.state })
    case .showsThePast:
      let past = lock.withLock { before }
      usleep(100)
      return try body(View { past })
    default:
      let state = state
      return try body(View { state })
    }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    if fault != .losesRaces { writing.lock() }
    defer { if fault != .losesRaces { writing.unlock() } }
    let draft = Draft(state) { [self] change in
      guard fault == .showsHalf else { return }
      lock.withLock { change(&records) }
      usleep(300)
    }
    let result = Swift.Result { try body(draft) }
    if fault == .losesRaces { usleep(300) }
    lock.withLock {
      writes += 1
      if case .failure = result, fault != .keepsFailedWrites { return }
      if fault == .losesWrites, writes.isMultiple(of: 10) { return }
      before = records
      for change in draft.changes { change(&records) }
    }
    if fault == .swallowsErrors, Result.self == Void.self, case .failure = result { return () as! Result }
    return try result.get()
  }

  func settle() {}
  func close() {}

  fileprivate typealias Step = (inout [Int64: Record]) -> Void

  private struct View: DictionarySnapshot {
    let now: () -> [Int64: Record]
    var state: [Int64: Record] { now() }
  }

  private final class Draft: DictionarySnapshot, StoreTransaction {
    private(set) var state: [Int64: Record]
    private let note: (Step) -> Void
    private(set) var changes: [Step] = []

    init(_ state: [Int64: Record], note: @escaping (Step) -> Void) {
      self.state = state
      self.note = note
    }

    func apply(_ change: Change) {
      let step: Step = { $0[change.record.id] = change.isDelete ? nil : change.record }
      step(&state)
      changes.append(step)
      note(step)
    }
  }
}

/// A snapshot that reads from a dictionary.
private protocol DictionarySnapshot: StoreSnapshot {
  var state: [Int64: Record] { get }
}

extension DictionarySnapshot {
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = state[key] else { return false }
    try record.withView(body)
    return true
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    for (_, record) in state.sorted(by: { $0.key < $1.key }) where keys.contains(record.id) {
      guard try record.withView(body) else { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int { state.count }
}
