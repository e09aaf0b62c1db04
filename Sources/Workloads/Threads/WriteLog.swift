import Foundation
import StorageContract

/// A log of begun and committed writes. A reader must see all committed writes, and may see begun ones.
final class WriteLog: @unchecked Sendable {
  private let lock = NSLock()
  private var begunCount = 0
  private var committedCount = 0
  /// The numbers of the writes to each group, ascending, such as `[3: [0, 5]]`. Writes from ``indexed`` on are missing.
  private var history: [Int: [Int]] = [:]
  private var indexed = 0

  /// The number of writes that have begun, which is also the number of the next write.
  var begun: Int { lock.withLock { begunCount } }

  var committed: Int { lock.withLock { committedCount } }

  func begin(_ number: Int) { lock.withLock { begunCount = number + 1 } }

  func commit(_ number: Int) { lock.withLock { committedCount = number + 1 } }

  /// Adds to ``history`` the writes that have begun since the last call. `groups` gives the group of each write.
  func index(by groups: RecordGroups) {
    lock.withLock {
      for write in indexed..<begunCount { history[groups.written(write), default: []].append(write) }
      indexed = begunCount
    }
  }

  /// Returns the number of the last write to a group, among the writes with numbers less than `number`, or nil.
  func last(of group: Int, before number: Int) -> Int? {
    lock.withLock {
      let writes = history[group] ?? []
      let next = writes.partitioningIndex { $0 >= number }
      return next > 0 ? writes[next - 1] : nil
    }
  }
}
