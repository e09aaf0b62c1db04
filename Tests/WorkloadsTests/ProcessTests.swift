import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

/// The data that two processes share, and its verification. The processes themselves are in EndToEndTests.
@Suite struct ProcessTests {
  private let source = GeneratedRecords(count: 7, bytes: 20, seed: 4)

  @Test func eachSideHasSeparateRecords() throws {
    let records = SharedRecords(source, seed: 3)
    for side in 0..<2 {
      for number in 1...50 {
        let own = try #require(records.own(number, of: side))
        #expect(try #require(source.index(of: own.id)) % 2 == side)
        #expect(own.isIdentical(to: try #require(records.own(number, of: side))))
      }
    }
    // No two saves store the same payload.
    let payloads = (1...50).flatMap { number in (0..<2).compactMap { records.own(number, of: $0)?.payload } }
    #expect(Set(payloads).count == payloads.count)
    // With one record, only one side has a record.
    let single = SharedRecords(GeneratedRecords(count: 1, bytes: 20, seed: 4), seed: 3)
    #expect(single.own(1, of: 0) != nil && single.own(1, of: 1) == nil)
  }

  @Test func theBoardIsTheSameForBoth() throws {
    let path = NSTemporaryDirectory() + "board-\(UUID().uuidString)"
    var board: SharedCounters? = try SharedCounters(path, isOwner: true)
    let other = try SharedCounters(path, isOwner: false)
    board?[saved: 0] = 7
    other[saved: 1] = 9
    other.state = .holding
    board?.signal = .go
    #expect(other[saved: 0] == 7 && board?[saved: 1] == 9 && board?.state == .holding && other.signal == .go)
    board = nil
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(throws: StoreError.self) { try SharedCounters(path, isOwner: false) }
  }

  @Test func percentilesAreExactToSevenInAHundred() {
    var random = RandomStream(seed: 1)
    var waits = SharingTally.Waits()
    #expect(waits.quantile(0.5) == nil)
    let durations = (0..<5_000).map { _ in Int64(1) << random.below(40) + Int64(random.below(1_000)) }
    for duration in durations { waits.add(duration) }
    let sorted = durations.sorted()
    for share in [0.001, 0.1, 0.5, 0.9, 0.99, 1] {
      let right = sorted[max(0, Int((share * 5_000).rounded(.up)) - 1)]
      let found = waits.quantile(share) ?? 0
      #expect(found >= right && Double(found) <= Double(right) * 1.07, "\(share): \(found), not \(right)")
    }
    #expect(waits.longest == sorted.last)
  }

  /// Opens a store in this process. The body makes the saves of the other side.
  private func side(_ losesNothing: Bool, _ body: (SharingSide, SharedCounters, ModelStore) throws -> Void) throws {
    let disk = ModelStore.Disk()
    let directory = "/model/\(UUID().uuidString)"
    ModelStore.mount(disk, at: directory)
    defer { ModelStore.unmount(directory) }
    try disk.reset(to: SharedRecords.fixture(of: source))
    let path = NSTemporaryDirectory() + "board-\(UUID().uuidString)"
    let board = try SharedCounters(path, isOwner: true)
    let environment = StoreEnvironment(directory: directory, collections: SharedRecords.collections)
    let backend: any StorageBackend.Type = losesNothing ? SafeStore.self : ModelStore.self
    let side = try SharingSide(
      0, SharingMode(way: .documented, hasLock: false), board, SharedRecords(source, seed: 3), opening: environment,
      as: backend)
    try body(side, board, try ModelStore(opening: environment))
  }

  /// A model store that claims to lose nothing when processes share it.
  private final class SafeStore: Faulty, Sharing {
    static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
      let share = try Capability.emulatedSharing(opening: environment, as: ModelStore.self, way)
      return ProcessShare(share.store, losesNothing: true)
    }
  }

  private static func number(_ key: Int64, _ value: Double) -> Change {
    .put(Record(id: key, name: "", group: "", score: value, modified: 0, payload: []), in: CollectionID(1))
  }

  @Test func aSideAloneIsNeverAccused() throws {
    for isSafe in [true, false] {
      try side(isSafe) { side, board, _ in
        for _ in 0..<20 {
          #expect(try side.save())
          try side.read()
        }
        #expect(board[saved: 0] == 20 && side.report().saves == 20)
        #expect(side.report().staleReads == 0 && side.report().errors.isEmpty)
      }
    }
  }

  @Test func whatTheOtherSideUndoesIsFoundOrCounted() throws {
    // The counter is set back.
    try side(true) { side, _, store in
      for _ in 0..<3 { _ = try side.save() }
      try store.commit([Self.number(1, 2)])
      let found = try complaint { _ = try side.save() }
      #expect(found == "an update was lost: the counter holds 2 of 3 saves of both processes")
    }
    // A save of this side is lost.
    try side(true) { side, _, store in
      for _ in 0..<3 { _ = try side.save() }
      try store.commit([Self.number(1, 2), Self.number(2, 2)])
      #expect(try complaint { try side.read() }?.hasPrefix("an acknowledged save is gone") == true)
    }
    // A save that the other side counts as acknowledged is not in the store.
    for isSafe in [true, false] {
      try side(isSafe) { side, board, _ in
        board[saved: 1] = 1
        if isSafe {
          #expect(try complaint { try side.read() }?.contains("before a save that had been acknowledged") == true)
        } else {
          try side.read()
          #expect(try side.save())
          #expect(side.report().staleReads == 2)
        }
      }
    }
    // A save that is in the store and not yet acknowledged is correct.
    try side(true) { side, _, store in
      try store.commit([Self.number(1, 1), Self.number(3, 1)])
      #expect(try side.save())
      try side.read()
    }
  }
}
