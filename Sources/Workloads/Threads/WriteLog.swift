import Foundation
import StorageContract

/// A log of the writes that a thread has begun and committed. A reader must see all committed writes, and may see begun
/// writes.
final class WriteLog: @unchecked Sendable {
  private let lock = NSLock()
  private var begunCount = 0
  private var committedCount = 0
  /// The numbers of the writes to each group of records, in ascending order. For example, `[3: [0, 5]]` means that
  /// writes 0 and 5 changed group 3. Writes with the number ``indexed`` or a higher number are not yet included.
  private var history: [Int: [Int]] = [:]
  private var indexed = 0

  /// The number of writes that have begun. It is also the number of the next write, because writes are counted from 0.
  var begun: Int { lock.withLock { begunCount } }

  var committed: Int { lock.withLock { committedCount } }

  func begin(_ number: Int) { lock.withLock { begunCount = number + 1 } }

  func commit(_ number: Int) { lock.withLock { committedCount = number + 1 } }

  /// Adds new writes to ``history``, which lists the numbers of the writes to each group of records. New writes are
  /// those that have begun since the last call of this function. `groups` gives the group that each write changes.
  func index(by groups: RecordGroups) {
    lock.withLock {
      for write in indexed..<begunCount { history[groups.written(write), default: []].append(write) }
      indexed = begunCount
    }
  }

  /// Returns the number of the last write to a group of records, among the writes with numbers less than `number`.
  /// Writes are numbered from 0 in the order in which they begin. Nil if none of these writes changed the group.
  func last(of group: Int, before number: Int) -> Int? {
    lock.withLock {
      let writes = history[group] ?? []
      let next = writes.partitioningIndex { $0 >= number }
      return next > 0 ? writes[next - 1] : nil
    }
  }
}
