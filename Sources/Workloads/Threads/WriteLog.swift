import Foundation

/// The progress of the writer, for the readers: the writes that a reader may see, and those that it must see.
final class WriteLog: @unchecked Sendable {
  private let lock = NSLock()
  private var begunCount = 0
  private var committedCount = 0
  /// The numbers of the writes of each group, ascending; made of all writes before ``indexed``.
  private var history: [Int: [Int]] = [:]
  private var indexed = 0

  /// Writes that have begun; they are numbered from 0.
  var begun: Int { lock.withLock { begunCount } }

  /// Writes that have returned.
  var committed: Int { lock.withLock { committedCount } }

  /// Notes that a write begins.
  func begin(_ number: Int) { lock.withLock { begunCount = number + 1 } }

  /// Notes that a write has returned.
  func commit(_ number: Int) { lock.withLock { committedCount = number + 1 } }

  /// Takes in which groups were written since the last time, for ``last(of:before:)``.
  func index(by groups: RecordGroups) {
    lock.withLock {
      for write in indexed..<begunCount { history[groups.written(write), default: []].append(write) }
      indexed = begunCount
    }
  }

  /// Returns the last write of a group with a lower number, or nil if there is none.
  func last(of group: Int, before number: Int) -> Int? {
    lock.withLock {
      let writes = history[group] ?? []
      var (low, high) = (0, writes.count)
      while low < high {
        let middle = (low + high) / 2
        if writes[middle] < number { low = middle + 1 } else { high = middle }
      }
      return low > 0 ? writes[low - 1] : nil
    }
  }
}
