import CStorageInstrument
import Foundation
import GRDB
import StorageContract

@testable import StorageVerify

// Checks that need a separate process.

struct F4: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    let queue = try DatabaseQueue(path: subject.environment().path("other.sqlite"))
    try subject.die { try queue.write { _ in try queue.write { _ in } } }
  }
}

struct F18: ConformanceCheck {
  private static let rows: Int64 = 5_000

  static let steps: Steps = [
    { try $0.withStore { try $0.commit(SampleRecords.filler(0..<rows, bytes: 500)) } },
    { subject in
      try subject.withStore { store in
        var (seen, least, most) = (0, UInt64.max, UInt64(0))
        try store.scan(.all, in: .records) { _ in
          seen += 1
          // SQLite's page cache fills first, so the first rows are skipped.
          guard seen > 4_000, seen % 50 == 0 else { return true }
          let heap = ci_heap_in_use()
          (least, most) = (min(least, heap), max(most, heap))
          return true
        }
        subject.expect(seen == rows, "\(seen) rows are seen")
        subject.expect(most - least < 50_000, "1,000 rows of 500 bytes take \(most - least) bytes of memory")
      }
    },
  ]
}
