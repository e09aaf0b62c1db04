import Foundation
import StorageContract
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct TrialQueueTests {
  private let cells = ["a", "b", "c", "d"].map { PlannedCell.sample("page", "save-one").named($0).cell }

  private func trial(_ cell: Cell) -> Trial { Trial(cell: cell, pass: .timed, started: 0, wall: 0, status: .ok) }

  /// Returns a queue whose first two processes have started and prepare their stores.
  private func row(isFirstRound: Bool = false) -> TrialQueue {
    var row = TrialQueue(isFirstRound: isFirstRound)
    for index in 0..<2 {
      #expect(row.admits(cells[index]))
      row.add(index, cells[index], TrialGate())
      row.started(index)
    }
    return row
  }

  @Test func whoPreparesIsPausedForAClockAndThenGoesOn() throws {
    var row = row()
    #expect(row.begin() == nil)
    row.prepared(0)
    let begun = row.begin()
    let (next, pausing) = try #require(begun)
    #expect(next.position == 0 && pausing.count == 1)
    #expect(row.isTiming)
    #expect(row.goOn().isEmpty && row.begin() == nil)
    row.stopped(0)
    // One trial verifies and the other continues, so all processors are in use.
    #expect(row.goOn().count == 1)
    #expect(row.goOn().isEmpty)
    #expect(!row.admits(cells[2]))
    row.ended(0, trial(cells[0]))
    _ = row.takeEnded()
    #expect(row.begin() == nil)
    #expect(row.admits(cells[2]))
    row.prepared(1)
    #expect(row.begin()?.next.position == 1)
  }

  @Test func whoHasPreparedItsStoreWhileBeingPausedOnlyWaits() throws {
    var row = row()
    row.prepared(0)
    _ = row.begin()
    row.prepared(1)
    row.ended(0, trial(cells[0]))
    _ = row.takeEnded()
    let begun = row.begin()
    let (next, pausing) = try #require(begun)
    #expect(next.position == 1 && pausing.isEmpty)
  }

  @Test func noClockStartsBesideSomebodyWhoIsBeingStarted() {
    var row = TrialQueue(isFirstRound: false)
    for index in 0..<2 { row.add(index, cells[index], TrialGate()) }
    row.started(0)
    row.prepared(0)
    // This process still copies the fixture of the second trial, and cannot be paused.
    #expect(row.begin() == nil)
    row.started(1)
    #expect(row.begin()?.pausing.count == 1)
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
    #expect(row.takeEnded()?.trial.cell == cells[0])
    #expect(row.begin()?.next.position == 1)
  }

  @Test func noTrialStartsBesideAClockOrBeyondTheProcessors() {
    var row = row()
    #expect(!row.admits(cells[2]))
    row.prepared(0)
    #expect(row.admits(cells[2]))
    row.prepared(1)
    _ = row.begin()
    #expect(!row.admits(cells[2]))
    row.stopped(0)
    // One trial verifies.
    #expect(row.admits(cells[2]))
    row.add(2, cells[2], TrialGate())
    #expect(!row.admits(cells[3]))
  }

  @Test func aSequentialQueueTimesOneTrialAfterTheOther() {
    var row = TrialQueue(isSequential: true)
    #expect(row.hasRoom)
    row.add(0, cells[0], TrialGate())
    #expect(row.isTiming)
    #expect(!row.hasRoom && !row.admits(cells[1]))
    row.ended(0, trial(cells[0]))
    #expect(!row.hasRoom)
    #expect(row.takeEnded()?.position == 0)
    #expect(row.hasRoom && row.admits(cells[1]))
  }

  @Test func onlySoManyArePreparedAhead() {
    var row = TrialQueue(isFirstRound: false)
    var index = 0
    while row.admits(cells[0]), index < 100 {
      row.add(index, cells[0], TrialGate())
      row.prepared(index)
      index += 1
    }
    #expect(index == Parallelism.trialsAhead)
  }

  @Test func whatFailsBeforeItsTurnWaitsForIt() {
    var row = row()
    row.ended(1, trial(cells[1]))
    #expect(row.takeEnded() == nil)
    row.prepared(0)
    #expect(row.begin()?.next.position == 0)
    row.ended(0, trial(cells[0]))
    #expect(row.takeEnded()?.trial.cell == cells[0])
    #expect(row.takeEnded()?.trial.cell == cells[1])
    #expect(row.admits(cells[2]))
  }

  @Test func smallerSizesSpeakFirstAndMemoryIsMeasuredAlone() {
    let larger = cells[0].with { $0.records = 200 }
    let limited = cells[1].with { $0.memory = 64 << 20 }
    let huge = cells[1].with { $0.records = 10_000_000 }
    for isFirstRound in [true, false] {
      var row = TrialQueue(isFirstRound: isFirstRound)
      row.add(0, cells[0], TrialGate())
      #expect(row.admits(larger) == !isFirstRound)
      #expect(!row.admits(limited))
      #expect(!row.admits(huge))
      #expect(row.admits(cells[1]))
    }
    var row = TrialQueue(isFirstRound: false)
    #expect(row.admits(limited))
    row.add(0, limited, TrialGate())
    #expect(!row.admits(cells[0]))
  }
}
