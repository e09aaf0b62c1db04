import Foundation
import StorageContract

/// A log of begun and committed writes. A reader must see all committed writes, and may see begun ones.
final class WriteLog: @unchecked Sendable {
  private let lock = NSLock()
  private var begunCount = 0
  private var committedCount = 0
  /// The writes to each group of records: `[3: [0, 5]]` means that writes 0 and 5 have changed group 3. Only writes
  /// before number ``indexed`` are included.
  private var history: [Int: [Int]] = [:]
  private var indexed = 0

  /// The number of writes that have begun, which is also the number of the next write.
  var begun: Int { lock.withLock { begunCount } }

  var committed: Int { lock.withLock { committedCount } }

  func begin(_ number: Int) { lock.withLock { begunCount = number + 1 } }

  func commit(_ number: Int) { lock.withLock { committedCount = number + 1 } }

  /// Adds all begun writes that ``history`` lacks. `groups` computes which group of records each write changes.
  func index(by groups: RecordGroups) {
    lock.withLock {
      for write in indexed..<begunCount { history[groups.written(write), default: []].append(write) }
      indexed = begunCount
    }
  }

  /// Returns the number of the last write to a group of records before write `number`, or nil if there is none.
  func last(of group: Int, before number: Int) -> Int? {
    lock.withLock {
      let writes = history[group] ?? []
      let next = writes.partitioningIndex { $0 >= number }
      return next > 0 ? writes[next - 1] : nil
    }
  }
}
