import Foundation
import StorageContract
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct PairedTests {
  private let pairs = ScriptedPairs()
  private var plan: PairedPlan { pairs.plan() }
  private var names: [String] { pairs.names(plan) }

  @Test func thingsThatAreTheSameAreCalledTheSame() async throws {
    let comparison = try await pairs.run(plan)
    #expect(comparison.judgements.map(\.verdict) == Array(repeating: .same, count: 4))
    #expect(comparison.judgements.allSatisfy { $0.time?.pairs == 12 && $0.time?.isConfirmed == false })
    // The noise is ±0.5 %. Unchanged cells report the smallest change that would have been detected.
    #expect(comparison.judgements.allSatisfy { (0.05...0.07).contains($0.time?.smallestDetectable ?? 0) })
    #expect(comparison.status() == ExitStatus.ok)
    #expect(comparison.method?.control.count == 3)
    // Four cells and three controls, in pairs, measured in one stage.
    #expect(pairs.log.entries.count == 12 * 2 * 7)
    #expect(pairs.log.entries.count { $0.isHead } == 12 * 4)
    let progress = pairs.observer.events.compactMap { event in
      if case .starting(_, .timed, _, let progress) = event { progress } else { nil }
    }
    #expect(progress.map(\.done) == Array(0..<12 * 2 * 7))
    #expect(progress.allSatisfy { $0.total == 12 * 2 * 7 && $0.secondsLeft > 0 })
  }

  @Test func theSidesOfAPairRunBackToBackInBalancedOrder() async throws {
    _ = try await pairs.run(pairs.plan(rounds: 12))
    var isBaseFirst: [String: [Bool]] = [:]
    let entries = pairs.log.entries
    for pair in stride(from: 0, to: entries.count, by: 2) {
      #expect(entries[pair].cell == entries[pair + 1].cell)
      guard entries[pair].isHead || entries[pair + 1].isHead else { continue }
      #expect(entries[pair].isHead != entries[pair + 1].isHead)
      isBaseFirst[entries[pair].cell, default: []].append(!entries[pair].isHead)
    }
    #expect(isBaseFirst.values.allSatisfy { order in order.count == 12 && order.count { $0 } == 6 })
    #expect(Set(isBaseFirst.values).count > 1)
    // Rounds are shuffled, so their first cells differ.
    #expect(Set((0..<12).map { entries[$0 * 14].cell }).count > 1)
  }

  /// A file system may be slower in one directory than in another. Each trial has a separate directory below it.
  @Test func `the trials of both builds have one parent directory`() async throws {
    _ = try await pairs.run(pairs.plan(rounds: 12))
    let entries = pairs.log.entries
    #expect(entries.count { $0.isHead } == 48 && entries.count { !$0.isHead } > 48)
    #expect(Set(entries.map { ($0.directory as NSString).deletingLastPathComponent }).count == 1)
    #expect(Set(entries.map(\.directory)).count == entries.count)
  }

  @Test func whatIsSlowerIsMeasuredAgainAndNamed() async throws {
    let slow = names[1]
    let comparison = try await pairs.run(plan) { isHead, cell in isHead && cell == slow ? 1.2 : 1 }
    #expect(comparison.judgements(.slower).map(\.name) == [slow])
    #expect(comparison.judgements(.same).count == 3)
    #expect(comparison.status() == ExitStatus.regression)
    let time = try #require(comparison.judgements[1].time)
    #expect(time.isConfirmed)
    #expect(time.pairs == 12)
    #expect(abs(time.ratio - 1.2) < 0.02)
    // Only the suspected cell is measured again.
    #expect(pairs.log.count(true, slow) == 24)
    #expect(pairs.log.entries.count { $0.isHead } == 12 * 5)
    // The journal has both stages, and no round twice.
    let trials = try RunDirectory(path: "\(pairs.temporary.path)/head").allTrials()
    let rounds = trials.filter { $0.cell.name == slow }.compactMap(\.round)
    #expect(rounds == Array(1...24))
  }

  @Test func aSuspicionThatIsNotConfirmedIsDropped() async throws {
    let name = names[2]
    let log = pairs.log
    let comparison = try await pairs.run(plan) { isHead, cell in
      isHead && cell == name && log.count(true, name) <= 12 ? 1.3 : 1
    }
    #expect(comparison.judgements.allSatisfy { $0.verdict == .same })
    // The reported figure is that of the second stage.
    #expect(comparison.judgements[2].time?.isConfirmed == true)
    #expect(abs((comparison.judgements[2].time?.ratio ?? 0) - 1) < 0.02)
    #expect(comparison.status() == ExitStatus.ok)
  }

  @Test func marginsHoldForTheirCells() async throws {
    let comparison = try await pairs.run(plan, margins: ["8%", "30%@\(names[0])"]) { isHead, _ in isHead ? 1.1 : 1 }
    #expect(comparison.judgements(.slower).map(\.name) == Array(names.dropFirst()))
    #expect(comparison.judgements[0].time?.margin == 0.3)
  }

  @Test func aDrillSlowsTheHeadOfItsCellsOnly() async throws {
    let target = names[3]
    let comparison = try await pairs.run(plan, inject: "1.2@\(target)")
    #expect(comparison.judgements(.slower).map(\.name) == [target])
    #expect(comparison.judgements(.same).count == 3)
  }

  @Test func syncingCellsGetTwentyPairs() async throws {
    let comparison = try await pairs.run(pairs.plan(["a"]), syncs: 10)
    #expect(comparison.judgements[0].time?.pairs == 20)
    #expect(comparison.method?.syncingRounds == 20)
  }

  @Test func probesAreTakenBeforeBetweenAndAfterRounds() async throws {
    let machine = ScriptedMachine()
    _ = try await pairs.run(pairs.plan(["a"], rounds: 6), machine: machine)
    #expect(machine.taken == 7)
  }

  @Test func countsOfTwoBuildsAreJudgedEvenOnAnUnfitMachine() async throws {
    let comparison = try await pairs.run(
      pairs.plan(["a"]), machine: ScriptedMachine(stolen: 0.5), syncs: 1, headSyncs: 2)
    #expect(comparison.judgements(.more).count == 1)
    #expect(comparison.status() == ExitStatus.regression)
    // Counts of different backends differ by nature.
    let backends = try await ScriptedPairs().run(pairs.plan(["a"]), judgesCounts: false, syncs: 1, headSyncs: 2)
    #expect(backends.judgements.map(\.verdict) == [.same])
    #expect(backends.status() == ExitStatus.ok)
  }

  @Test func aFailingSideIsNamed() async throws {
    let plan = pairs.plan(["a", "b"])
    let names = pairs.names(plan)
    let head = try await pairs.run(plan) { isHead, cell in isHead && cell == names[0] ? -1 : 1 }
    #expect(head.judgements.map(\.verdict) == [.failed, .same])
    #expect(head.status() == ExitStatus.failed)
    let base = try await ScriptedPairs().run(plan) { isHead, cell in !isHead && cell == names[0] ? -1 : 1 }
    #expect(base.judgements[0].verdict == .unmeasurable)
    #expect(base.judgements[0].note.hasPrefix("the base failed: killed by signal 11"))
    #expect(base.status() == ExitStatus.unjudged)
  }

  @Test func noiseTellsTheSmallestDetectableChangeAndNoVerdict() async throws {
    var plan = pairs.plan(["a"])
    plan.confirms = false
    plan.controls = 0
    let comparison = try await pairs.run(plan) { isHead, _ in isHead ? 1.2 : 1 }
    #expect(comparison.judgements[0].verdict == .same)
    #expect((comparison.judgements[0].time?.smallestDetectable ?? 0) >= 0.2)
    #expect(comparison.notes.contains { $0.contains("--margin 2") })
    #expect(pairs.log.entries.count == 24)
  }

  @Test func budgetsGiveEightToTwentyPairs() {
    #expect(plan.rounds(within: 1_000_000) == 8)
    #expect(plan.rounds(within: 3_600_000_000_000) == 20)
    let middle = (1...200).map { plan.rounds(within: Int64($0) * 500_000_000) }
    #expect(Set(middle) == [8, 10, 12, 14, 16, 18, 20])
    #expect(middle == middle.sorted())
  }

  @Test func marginsAndFactorsAreReadWithCare() throws {
    let names = ["sqlite/save-one/1000/shipped", "lmdb/read-one/1000/-"]
    let margins = try Margins(["7.5%", "12%@lmdb/*"], names: names)
    #expect(margins.share(names[0]) == 0.075)
    #expect(margins.share(names[1]) == 0.12)
    // The last margin that matches a cell applies.
    #expect(try Margins(["12%@lmdb/*", "8"], names: names).share(names[1]) == 0.08)
    #expect(try Margins([], names: names).share(names[0]) == 0.05)
    for text in ["", "x", "0", "-5", "5%@plist/*", "5 percent", "1e3", "nan"] {
      #expect(throws: UsageError.self, "\(text)") { try Margins([text], names: names) }
    }
    #expect(try Injection.slowdowns("1.2@sqlite/*", names: names).keys.sorted() == [0])
    #expect(abs((try Injection.slowdowns("1.2", names: names)[1] ?? 0) - 0.2) < 1e-12)
    for text in ["1", "0.5", "x", "1.2@plist*", "inf", "101"] {
      #expect(throws: UsageError.self, "\(text)") { try Injection.slowdowns(text, names: names) }
    }
  }
}
