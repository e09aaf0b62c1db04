import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial
import Testing

@testable import StorageBench

/// The order of the cost passes, and the verification of the stores that they leave.
@Suite struct CostPassTests: ScriptedRuns {
  let directory = TemporaryDirectory()
  let observer = EventList()

  @Test func whatIsTooSlowForAProfileIsCountedAndNotTimed() async throws {
    var plan = plan(["a", "b"])
    plan.cells[0].untimed = "the profile has no patience"
    let launcher = ScriptedLauncher()
    #expect(try await run(plan, launcher))
    let trials = try trials().filter { $0.cell == plan.cells[0].cell }
    #expect(trials.map(\.pass).sorted { $0.rawValue < $1.rawValue } == [.cost, .timed])
    let timed = try #require(trials.first { $0.pass == .timed })
    #expect(timed.status == .skipped && timed.note == "not timed: the profile has no patience" && timed.timing == nil)
    #expect(trials.first { $0.pass == .cost }?.cost != nil)
    #expect(launcher.launches.filter { $0.task == .timed }.allSatisfy { $0.cell == plan.cells[1].cell })
  }

  @Test func aCostTrialIsLookedAtByAnotherProcess() async throws {
    let launcher = ScriptedLauncher()
    try await run(plan(["a"]), launcher)
    let tasks = launcher.launches.map(\.task)
    #expect(tasks == [.fixture, .timed, .cost, .verify, .timed, .timed])
    let cost = try #require(try trials().first { $0.pass == .cost }?.cost)
    #expect(cost.digest == "0123456789abcdef")
    #expect(cost.storedBytes == 77)
    // The process that verifies uses the directory of the cost trial. Each other launch has its own directory.
    #expect(launcher.launches[2].directory == launcher.launches[3].directory)
    #expect(Set(launcher.launches.map(\.directory)).count == 5)
  }

  @Test(arguments: ["read-one", "save-one", "read-one that writes"])
  func aStoreThatWasOnlyReadIsLookedAtOnce(workload: String) async throws {
    let id = String(workload.prefix { $0 != " " })
    let writes = workload != id
    let cells = ["load-all", id, "read-hot"].map { workload in
      PlannedCell.sample("page", workload, durability: workload == "save-one" ? .shipped : nil)
    }
    let launcher = ScriptedLauncher { request in
      switch request.task {
      case .fixture: try Data("store".utf8).write(to: URL(fileURLWithPath: "\(request.store)/file"))
      case .cost where writes && request.cell.workload.id == id:
        try Data("Store".utf8).write(to: URL(fileURLWithPath: "\(request.store)/file"))
      default: break
      }
      return .answered(.ordinary(request))
    }
    #expect(try await run(plan(cells, rounds: 0), launcher))
    let verified = launcher.launches.filter { $0.task == .verify }.map(\.cell.workload.id)
    #expect(verified.count == (workload == "read-one" ? 1 : 2))
    #expect(workload == "read-one" || verified.contains(id))
    #expect(try trials().allSatisfy { $0.cost?.digest == "0123456789abcdef" && $0.cost?.storedBytes == 77 })
  }

  /// The same saves write the same file at every durability. A file that differs is verified.
  @Test(arguments: [("alike", 1), ("differs", 2), ("page", 2)])
  func aFileThatIsTheSameIsLookedAtOnce(stores: String, expected: Int) async throws {
    let cells = [Durability.shipped, .durable].map { durability in
      PlannedCell.sample(durability: durability, isWholeFile: stores != "page")
    }
    let launcher = ScriptedLauncher { request in
      if request.task == .cost {
        let text = stores == "differs" ? request.cell.name : "the same"
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(request.store)/file"))
      }
      return .answered(.ordinary(request))
    }
    #expect(try await run(plan(cells, rounds: 1), launcher))
    #expect(launcher.launches.count { $0.task == .verify } == expected)
    #expect(try trials().filter { $0.pass == .cost }.count { $0.cost?.digest == "0123456789abcdef" } == 2)
    // Later cells find no kept store.
    let left = Set(launcher.launches.map(\.directory)).filter { FileManager.default.fileExists(atPath: $0) }
    #expect(left.isEmpty)
  }

  /// Cells that are not timed because they take too long are counted first, then the others by the duration of a trial.
  @Test func theLongestWholeFilesAreCountedFirst() async throws {
    let cells = [100, 200, 400, 800].map { records in
      var planned = PlannedCell.sample(records: records, isWholeFile: true)
      if records == 200 { planned.untimed = "it takes too long" }
      return planned
    }
    do {
      let journal = try Journal(directory.run)
      for (index, wall) in [(0, 1.0), (2, 3.0), (3, 2.0)] {
        var trial = Trial.sample(cells[index].cell)
        trial.wall = wall
        try journal.append(trial)
      }
    }
    #expect(try await run(plan(cells, rounds: 1), ScriptedLauncher()))
    var counted: [Int] = []
    for case .starting(let cell, .cost, _, _) in observer.events { counted.append(cell.records) }
    #expect(counted == [200, 400, 800, 100])
  }

  @Test func largeWholeFilesAreCountedOneAtATime() async throws {
    let cells = ["a", "b", "c"].map { PlannedCell.sample(records: 1_000_000, isWholeFile: true).named($0) }
    let launcher = ScriptedLauncher(duration: 3_000_000)
    #expect(try await run(plan(cells, rounds: 1), launcher))
    #expect(launcher.launches.filter { $0.task == .cost }.allSatisfy { !$0.beside.contains(.cost) })
  }

  @Test func countersThatMissedSomethingAreNoted() async throws {
    let launcher = ScriptedLauncher { request in
      var response = TrialResponse.ordinary(request)
      response.cost?.seenBytesWritten = 100
      response.cost?.processBytesWritten = 120
      response.cost?.seenWriteCalls = 3
      response.cost?.processWriteCalls = 4
      return .answered(response)
    }
    #expect(try await run(plan(["a"]), launcher))
    let cost = try #require(try trials().first { $0.pass == .cost })
    #expect(cost.note == "the kernel saw 4 writes of 120 bytes, the counters 3 of 100")
    #expect(cost.status == .ok)
  }
}
