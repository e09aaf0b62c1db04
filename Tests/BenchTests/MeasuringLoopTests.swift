import Contract
import Report
import Testing
import Workloads

@testable import Bench

/// Times in these tests are in nanoseconds; `ms` makes them readable.
private let ms: Int64 = 1_000_000

@Suite struct MeasuringLoopTests {
  private let log = CallLog()
  private let clock = ScriptedClock()

  private func session(
    blockSize: Int = 256, limit: Int? = nil, _ duration: @escaping (Int) -> Int64
  ) -> ScriptedSession {
    ScriptedSession(clock, log, blockSize: blockSize, limit: limit, duration: duration)
  }

  private func run(
    _ session: ScriptedSession, target: Int64 = 100 * ms, warms: Bool = true, rate: Double? = nil, reading: Int64 = 0
  ) throws -> (timing: Timing, operations: Int) {
    let time = ScriptedTime(clock: clock, log: log, reading: reading)
    return try MeasuringLoop(time: time, target: target, warms: warms, rate: rate).run(session)
  }

  @Test func callsComeInTheirOrder() throws {
    // Warm-up: 10 ms, then 20, which is a quarter of the target; then ten operations, timed one by one, where the
    // end of one is the start of the next. Nothing else reads the clock.
    let (timing, operations) = try run(session { _ in 10 * ms })
    var expected: [CallLog.Call] = [
      .prepare(0..<1), .cpu, .now, .perform(0), .now, .cpu, .verify(0..<1),
      .prepare(1..<3), .cpu, .now, .perform(1), .perform(2), .now, .cpu, .verify(1..<3),
      .now, .prepare(3..<13), .cpu, .now,
    ]
    for operation in 3..<13 { expected += [.perform(operation), .now] }
    expected += [.cpu, .verify(3..<13)]
    #expect(log.afterClockCost == expected)
    #expect(operations == 13)
    #expect(timing.operations == 10)
    #expect(timing.elapsed == 100 * ms)
    #expect(timing.cpu == 50 * ms)
    #expect(timing.min == 10 * ms)
    #expect(timing.max == 10 * ms)
    #expect(timing.batch == nil)
  }

  @Test(arguments: [0.2, 1.5]) func aDrillMakesEveryOperationLonger(slowdown: Double) throws {
    // Single operations, batches, and one that takes so long that it is done once.
    for (duration, reading) in [(10 * ms, Int64(0)), (100, 40), (300 * ms, 0)] {
      var timings: [Timing] = []
      for slowdown in [0, slowdown] {
        let (log, clock) = (CallLog(), ScriptedClock())
        let session = ScriptedSession(clock, log, blockSize: 256, limit: nil, duration: { _ in duration })
        var loop = MeasuringLoop(
          time: ScriptedTime(clock: clock, log: log, reading: reading), target: 20 * ms, warms: true, rate: nil)
        loop.slowdown = slowdown
        timings.append(try loop.run(session).timing)
      }
      let ratio = timings[1].p25 / timings[0].p25
      #expect(abs(ratio - 1 - slowdown) < 0.02 * (1 + slowdown), "\(duration) ns: \(ratio)")
      #expect(timings[0].batch == timings[1].batch)
      let each = { (timing: Timing) in Double(timing.elapsed) / Double(timing.operations) }
      #expect(abs(each(timings[1]) / each(timings[0]) - 1 - slowdown) < 0.02 * (1 + slowdown))
    }
  }

  @Test func theSessionIsNotSetUpOrFinishedHere() throws {
    _ = try run(session { _ in 10 * ms })
    #expect(!log.calls.contains(.setUp))
    #expect(!log.calls.contains(.finish))
  }

  @Test func preparingAndVerifyingAreNotTimed() throws {
    let session = session { _ in 10 * ms }
    session.overhead = 1_000 * ms
    let (timing, _) = try run(session)
    #expect(timing.elapsed == 100 * ms)
    #expect(timing.cpu == 50 * ms)
    #expect(timing.operations == 10)
  }

  @Test func warmUpTakesAQuarterOfTheTarget() throws {
    for target in [40 * ms, 400 * ms, 4_000 * ms] {
      log.calls = []
      let (timing, operations) = try run(session { _ in 1 * ms }, target: target)
      // Blocks of 1, 2, 4, ... up to the session's longest, and a last one that fills the quarter.
      #expect(Int64(operations - timing.operations) * ms == target / 4)
      #expect(Int64(timing.operations) * ms == target)
    }
  }

  @Test func aColdStoreIsNotWarmed() throws {
    let (timing, operations) = try run(session { _ in 10 * ms }, warms: false)
    #expect(timing.operations == operations)
    // Without a warm-up nothing is known of the cost, so that blocks hold one operation each.
    #expect(
      log.sessionCalls.prefix(6) == [
        .prepare(0..<1), .perform(0), .verify(0..<1), .prepare(1..<2), .perform(1), .verify(1..<2),
      ])
    #expect(timing.elapsed == 100 * ms)
  }

  @Test(arguments: [(30, 5), (49, 5), (50, 5), (51, 1), (60, 1), (249, 1)])
  func atLeastFiveOperationsOrOneSlow(milliseconds: Int, operations: Int) throws {
    let (timing, all) = try run(session { _ in Int64(milliseconds) * ms }, target: 50 * ms)
    #expect(timing.operations == operations)
    #expect(all == operations + 1)
  }

  @Test func anOperationOverTheLimitIsTimedOnce() throws {
    let (timing, operations) = try run(session { _ in 251 * ms })
    #expect(operations == 1)
    #expect(timing.operations == 1)
    #expect(timing.elapsed == 251 * ms)
    #expect(timing.min == 251 * ms)
    #expect(timing.cpu == 251 * ms / 2)
    #expect(log.sessionCalls == [.prepare(0..<1), .perform(0), .verify(0..<1)])
  }

  @Test func anOperationAtTheLimitIsWarmedUp() throws {
    let (timing, operations) = try run(session { _ in 250 * ms })
    #expect(operations == 2)
    #expect(timing.operations == 1)
  }

  @Test func aColdOperationOverTheLimitIsTimedOnce() throws {
    let (timing, operations) = try run(session { _ in 251 * ms }, target: 10_000 * ms, warms: false)
    #expect(operations == 1)
    #expect(timing.operations == 1)
  }

  @Test func aSlowFirstOperationOnlyIsNotTheMeasurement() throws {
    // The first is slow but under the limit, as a store's first save may be: the others count.
    let (timing, _) = try run(session { $0 == 0 ? 200 * ms : 1 * ms })
    #expect(timing.max == 1 * ms)
    #expect(timing.operations == 100)
  }

  @Test(arguments: [0, 3, 20])
  func whatIsReadWrongIsThrown(operation: Int) throws {
    let session = session { _ in 10 * ms }
    session.wrong = operation
    let error = #expect(throws: VerificationError.self) { try run(session, target: 300 * ms) }
    #expect(error?.key == Int64(operation))
  }

  @Test func sessionsMayMeasureThemselves() throws {
    let session = session(blockSize: 1) { _ in 40 * ms }
    session.measuresItself = true
    let (timing, operations) = try run(session, target: 20 * ms)
    #expect(timing.min == 4 * ms)
    #expect(timing.max == 4 * ms)
    #expect(timing.operations == 5)
    #expect(timing.elapsed == 20 * ms)
    #expect(operations == 6)
  }

  @Test(arguments: [1, 2, 3, 10, 50, 255])
  func theEndOfTheStreamIsRespected(limit: Int) throws {
    let (timing, operations) = try run(session(limit: limit) { _ in 1_000 })
    #expect(operations <= limit)
    #expect(timing.operations > 0)
    // Most of what there is must be measured, not warmed up with.
    #expect(timing.operations * 4 >= limit * 3)
    #expect(timing.min == 1_000)
    #expect(timing.p50 >= 1_000)
  }

  @Test func anOpenLoopStartsOnSchedule() throws {
    // A hundred a second, one every 10 ms. One takes 25 ms, and those behind it wait: that is their latency, too.
    let slow = 5
    let session = session { $0 == slow ? 25 * ms : 4 * ms }
    let (timing, operations) = try run(session, target: 100 * ms, warms: false, rate: 100)
    #expect(operations >= 10)
    var waits: [Int64] = []
    for case .wait(let time) in log.calls { waits.append(time) }
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $1 - $0 == 10 * ms })
    let histogram = try #require(timing.histogram.flatMap { HistogramText(text: $0) })
    // 25 ms for the slow one, then 19, 13 and 7 for the three that started late, 4 for the others.
    #expect(timing.max == 25 * ms)
    #expect(timing.min == 4 * ms)
    let latencies = histogram.buckets.map { ($0.value + ms.magnitude / 2) / ms.magnitude }
    #expect(latencies == [4, 7, 13, 19, 25])
    #expect(histogram.buckets.map(\.count) == [UInt64(operations - 4), 1, 1, 1, 1])
  }

  @Test(arguments: [1.0, 10, 100])
  func anOpenLoopKeepsToTheTarget(rate: Double) throws {
    // Two seconds' worth at the rate, and not as many as would fit if there were no schedule.
    let (timing, _) = try run(session { _ in 1_000 }, target: 2_000 * ms, rate: rate)
    #expect(Double(timing.operations) <= max(5, 2 * rate + 1))
    #expect(timing.elapsed <= max(2_000 * ms, Int64(5 / rate * 1e9)) + 1 * ms)
  }
}
