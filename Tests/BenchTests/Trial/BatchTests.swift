import StorageRunFiles
import Testing

@testable import StorageTrial

/// Operations that are short compared with a reading of the clock, which takes 20 ns here.
@Suite struct BatchTests {
  private let log = CallLog()
  private let clock = ScriptedClock()
  private let reading: Int64 = 20

  private func run(
    target: Int64 = 1_000_000, blockSize: Int = 256, limit: Int? = nil, _ duration: @escaping (Int) -> Int64
  ) throws -> (timing: Timing, operations: Int) {
    let session = ScriptedSession(clock, log, blockSize: blockSize, limit: limit, duration: duration)
    let time = ScriptedTime(clock: clock, log: log, reading: reading)
    return try MeasuringLoop(time: time, target: target, warms: true, rate: nil).run(session)
  }

  /// Returns the operations between two readings of the clock, in the timed part.
  private func runs(in calls: ArraySlice<CallLog.Call>) -> [[Int]] {
    var runs: [[Int]] = []
    var performed: [Int] = []
    for call in calls {
      switch call {
      case .perform(let operation): performed.append(operation)
      case .now where !performed.isEmpty:
        runs.append(performed)
        performed = []
      default: break
      }
    }
    return runs
  }

  /// Returns the calls after the warm-up.
  private func timedCalls(_ operations: Int, timed: Int) -> ArraySlice<CallLog.Call> {
    let first = log.calls.firstIndex(of: .perform(operations - timed)) ?? log.calls.startIndex
    return log.calls[first...]
  }

  @Test(arguments: [(Int64(10), 100), (50, 20), (99, 11)])
  func belowFiveReadingsThereAreOnlyBatches(duration: Int64, batch: Int) throws {
    let (timing, _) = try run { _ in duration }
    #expect(timing.histogram == nil && timing.min == nil && timing.max == nil)
    #expect(timing.clock == Double(reading))
    // A batch takes at least as long as 50 readings.
    #expect(timing.batch == batch)
    #expect(Int64(try #require(timing.batch)) * duration >= 50 * reading - reading)
    let perBatch = Double(Int64(batch) * duration + reading) / Double(batch)
    #expect(timing.p25 == perBatch)
    #expect(timing.p50 == perBatch)
  }

  @Test(arguments: [Int64(100), 300, 999])
  func belowFiftyReadingsTheyTakeTurns(duration: Int64) throws {
    let (timing, operations) = try run(target: 4_000_000) { _ in duration }
    let batch = try #require(timing.batch)
    let singles = try timing.buckets().reduce(0) { $0 + Int($1.count) }
    #expect(timing.min == duration + reading)
    #expect(timing.max == duration + reading)
    // Throughput is computed from the batches alone.
    let runs = runs(in: timedCalls(operations, timed: timing.operations + singles)).map(\.count)
    #expect(runs.count { $0 == 1 } >= singles)
    #expect(runs.reduce(0, +) == timing.operations + singles)
    #expect(runs.count { $0 == batch } > 0)
    let readings = Int64(runs.count { $0 > 1 })
    #expect(abs(timing.elapsed - Int64(timing.operations) * duration - readings * reading) <= 20 * reading)
    // Neither method has less than a quarter of the other's operations.
    #expect(singles * 4 > timing.operations)
    #expect(timing.operations * 4 > singles)
  }

  /// A block of 256 operations takes four times the target, or the stream has few operations.
  @Test(arguments: [(Int64(20_000), Int?.none), (4_000_000, 300), (4_000_000, 30)])
  func aShortTrialHasBothAllTheSame(target: Int64, limit: Int?) throws {
    let (timing, _) = try run(target: target, limit: limit) { _ in 300 }
    #expect(try timing.buckets().reduce(0) { $0 + Int($1.count) } >= 10)
    #expect(timing.min == 300 + reading)
    #expect(timing.batch == 4)
    #expect(timing.p50 == 300 + Double(reading) / 4)
  }

  /// Batching needs at least two batches of four operations.
  @Test func whatIsTooFewForBothIsTimedSingly() throws {
    let (timing, operations) = try run(limit: 9) { _ in 300 }
    #expect(operations == 9)
    #expect(timing.batch == nil && timing.p50 == Double(300 + reading))
  }

  @Test(arguments: [Int64(1_000), 5_000])
  func fromFiftyReadingsOnTheyAreTimedSingly(duration: Int64) throws {
    let (timing, operations) = try run { _ in duration }
    #expect(timing.batch == nil)
    #expect(timing.min == duration + reading)
    let timed = timedCalls(operations, timed: timing.operations)
    #expect(runs(in: timed).allSatisfy { $0.count == 1 })
    #expect(timing.elapsed == Int64(timing.operations) * (duration + reading))
  }

  @Test func theQuartileIsThatOfTheBatches() throws {
    // A third of the operations is slow, in a cycle that shifts against the batches, so that their lengths differ.
    let (timing, operations) = try run(target: 500_000) { $0 % 97 < 31 ? 130 : 40 }
    let batch = try #require(timing.batch)
    // The lengths of the batches, computed from the calls.
    let batches = runs(in: timedCalls(operations, timed: timing.operations)).filter { $0.count == batch }
    let lengths = batches.map { $0.reduce(reading) { $0 + ($1 % 97 < 31 ? 130 : 40) } }.sorted()
    #expect(Set(lengths).count > 3)
    let quarter = lengths[Int((0.25 * Double(lengths.count)).rounded(.up)) - 1]
    let half = lengths[Int((0.5 * Double(lengths.count)).rounded(.up)) - 1]
    #expect(timing.p25 == Double(quarter) / Double(batch))
    #expect(timing.p50 == Double(half) / Double(batch))
  }

  @Test func blocksOfOneAreNeverBatched() throws {
    let (timing, _) = try run(blockSize: 1) { _ in 50 }
    #expect(timing.batch == nil)
    #expect(timing.min == 70)
  }

  @Test(arguments: [4, 20, 40])
  func aShortStreamOfFastOperationsHasFigures(limit: Int) throws {
    let (timing, operations) = try run(limit: limit) { _ in 50 }
    #expect(operations <= limit)
    #expect(timing.operations > 0)
    #expect(timing.p25 >= 50)
  }

  @Test func theQuartileOfSinglesIsTheHistograms() throws {
    let (timing, operations) = try run(target: 4_000_000) {
      [1_000, 1_000, 1_000, 2_000, 2_000, 2_000, 3_000, 4_000][$0 % 8]
    }
    #expect(operations > timing.operations)
    // Three eighths take 1,020 ns, three 2,020 ns, one 3,020 ns and one 4,020 ns, with three significant digits.
    #expect(abs(timing.p25 - 1_020) / 1_020 < 0.002)
    #expect(abs(timing.p50 - 2_020) / 2_020 < 0.002)
    #expect(timing.max == 4_020)
  }
}
