import Foundation

/// A log of the numbers of begun and committed writes. A reader must see every committed write and may see begun ones.
final class WriteLog: @unchecked Sendable {
  private let lock = NSLock()
  private var begunCount = 0
  private var committedCount = 0
  /// The numbers of the writes to each group of records, in ascending order. Writes with numbers from ``indexed`` on
  /// are not included yet.
  private var history: [Int: [Int]] = [:]
  private var indexed = 0

  /// The number of writes that have begun. Writes are numbered from 0.
  var begun: Int { lock.withLock { begunCount } }

  var committed: Int { lock.withLock { committedCount } }

  func begin(_ number: Int) { lock.withLock { begunCount = number + 1 } }

  func commit(_ number: Int) { lock.withLock { committedCount = number + 1 } }

  /// Adds all writes begun since the last call to the history of their groups. Then ``last(of:before:)`` finds them.
  func index(by groups: RecordGroups) {
    lock.withLock {
      for write in indexed..<begunCount { history[groups.written(write), default: []].append(write) }
      indexed = begunCount
    }
  }

  /// Returns the number of the last write to a group before the write `number`, or nil if none was before it.
  func last(of group: Int, before number: Int) -> Int? {
    lock.withLock {
      let writes = history[group] ?? []
      let next = writes.partitioningIndex { $0 >= number }
      return next > 0 ? writes[next - 1] : nil
    }
  }
}
