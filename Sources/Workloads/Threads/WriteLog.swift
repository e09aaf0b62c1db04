import Foundation

/// The numbers of begun and committed writes. They determine which writes a reader may see and which it must see.
final class WriteLog: @unchecked Sendable {
  private let lock = NSLock()
  private var begunCount = 0
  private var committedCount = 0
  /// The numbers of each group's writes before ``indexed``, ascending.
  private var history: [Int: [Int]] = [:]
  private var indexed = 0

  /// The number of writes that have begun. Writes are numbered from 0.
  var begun: Int { lock.withLock { begunCount } }

  var committed: Int { lock.withLock { committedCount } }

  func begin(_ number: Int) { lock.withLock { begunCount = number + 1 } }

  func commit(_ number: Int) { lock.withLock { committedCount = number + 1 } }

  /// Indexes new writes by group, for ``last(of:before:)``.
  func index(by groups: RecordGroups) {
    lock.withLock {
      for write in indexed..<begunCount { history[groups.written(write), default: []].append(write) }
      indexed = begunCount
    }
  }

  /// Returns the last write of a group whose number is less than `number`, or nil.
  func last(of group: Int, before number: Int) -> Int? {
    lock.withLock {
      let writes = history[group] ?? []
      let next = writes.firstPlace { $0 >= number }
      return next > 0 ? writes[next - 1] : nil
    }
  }
}
