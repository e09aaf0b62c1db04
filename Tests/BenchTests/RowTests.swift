import Foundation
import StorageContract
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct RowTests {
  private let cells = ["a", "b", "c", "d"].map { PlannedCell.sample("page", "save-one").named($0).cell }

  private func trial(_ cell: Cell) -> Trial { Trial(cell: cell, pass: .timed, started: 0, wall: 0, status: .ok) }

  /// A row with its first two, neither of them prepared.
  private func row(isFirstRound: Bool = false) -> Row {
    var row = Row(isFirstRound: isFirstRound)
    for place in 0..<2 {
      #expect(row.admits(cells[place]))
      row.add(place, cells[place], Turn())
    }
    return row
  }

  @Test func noClockStartsBesideSomebodyWhoPrepares() {
    var row = row()
    #expect(row.begin() == nil)
    row.prepared(0)
    #expect(row.begin() == nil)
    row.prepared(1)
    #expect(row.begin()?.place == 0)
    #expect(row.isTiming)
    #expect(row.begin() == nil)
  }

  @Test func noClockStartsBesideSomebodyWhoVerifies() {
    var row = row()
    row.prepared(0)
    row.prepared(1)
    _ = row.begin()
    row.stopped(0)
    #expect(!row.isTiming)
    #expect(row.begin() == nil)
    #expect(row.takeEnded() == nil)
    row.ended(0, trial(cells[0]))
    #expect(row.takeEnded()?.cell == cells[0])
    #expect(row.begin()?.place == 1)
  }

  @Test func nobodyIsStartedBesideAClock() {
    var row = row()
    // Two are ahead: that is enough.
    #expect(!row.admits(cells[2]))
    row.prepared(0)
    row.prepared(1)
    _ = row.begin()
    row.stopped(0)
    // One is still ahead, and would have to wait for whoever prepares.
    #expect(!row.admits(cells[2]))
    row.ended(0, trial(cells[0]))
    _ = row.takeEnded()
    _ = row.begin()
    #expect(!row.admits(cells[2]))
    row.stopped(1)
    #expect(row.admits(cells[2]))
  }

  @Test func whatFailsBeforeItsTurnWaitsForIt() {
    var row = row()
    row.ended(1, trial(cells[1]))
    #expect(row.takeEnded() == nil)
    row.prepared(0)
    #expect(row.begin()?.place == 0)
    row.ended(0, trial(cells[0]))
    #expect(row.takeEnded()?.cell == cells[0])
    #expect(row.takeEnded()?.cell == cells[1])
    #expect(row.admits(cells[2]))
  }

  @Test func smallerSizesSpeakFirstAndMemoryIsMeasuredAlone() {
    var larger = cells[0]
    larger.records = 200
    var limited = cells[1]
    limited.memory = 64 << 20
    var huge = cells[1]
    huge.records = 10_000_000
    for isFirstRound in [true, false] {
      var row = Row(isFirstRound: isFirstRound)
      row.add(0, cells[0], Turn())
      #expect(row.admits(larger) == !isFirstRound)
      #expect(!row.admits(limited))
      #expect(!row.admits(huge))
      #expect(row.admits(cells[1]))
    }
    var row = Row(isFirstRound: false)
    #expect(row.admits(limited))
    row.add(0, limited, Turn())
    #expect(!row.admits(cells[0]))
  }
}

/// Counts, from any task.
final class EventCount: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0

  var count: Int { lock.withLock { number } }

  func add() { lock.withLock { number += 1 } }
}
