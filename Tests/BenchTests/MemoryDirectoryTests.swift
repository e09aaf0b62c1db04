import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial
import Testing

@testable import StorageBench

@Suite struct MemoryDirectoryTests {
  /// The allocations of an engine depend on the length of its path.
  @Test func `paths of stores are as long in every run`() throws {
    #expect(PathNumber.text(7, digits: 3) == "007" && PathNumber.text(0xab, digits: 8, radix: 16) == "000000ab")
    #expect(PathNumber.text(1_234, digits: 3) == "1234")
    let lengths = try (0..<64).map { number in
      let memory = try #require(MemoryDirectory(parent: Linux.sharedMemory, room: 1 << 20))
      defer { memory.close() }
      for _ in 0..<number % 16 { _ = try memory.scratch.makeTrialDirectory() }
      return try memory.scratch.makeTrialDirectory().count
    }
    #expect(Set(lengths).count == 1, "\(lengths)")
  }

  private let directory = TemporaryDirectory()
  private var parent: String { "\(directory.path)/memory" }

  init() throws { try directory.makeDirectory("memory") }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: parent).sorted() }

  private func name(_ memory: MemoryDirectory) -> String { (memory.scratch.path as NSString).lastPathComponent }

  /// Returns a directory that stands for a RAM disk of this size. The file system is checked only if no size is given.
  private func memory(_ room: Int = 1 << 40) throws -> MemoryDirectory {
    try #require(MemoryDirectory(parent: parent, room: room))
  }

  @Test func leftoversGoAndNeighboursStay() throws {
    // A killed process leaves a directory with the mark and without a lock.
    let killed = try OwnedDirectory.temporary(in: directory.path)
    try killed.makeDirectory("\(killed.path)/trials/1")
    try FileManager.default.copyItem(atPath: killed.path, toPath: "\(parent)/.storage-bench-0000001-0000abcd")
    killed.removeAll()
    // A name like ours, without our mark, and not empty.
    let unmarked = ".storage-bench-0000003-0000abcd"
    let foreign = "storage-bench-of-the-users"
    for name in [".storage-bench-0000002-0000abcd", foreign, "\(unmarked)/mine"] {
      try directory.makeDirectory("memory/\(name)")
    }
    let first = try memory()
    #expect(try names() == [unmarked, name(first), foreign].sorted())
    _ = try first.scratch.makeTrialDirectory()
    let second = try memory()
    #expect(try names() == [unmarked, name(first), name(second), foreign].sorted())
    #expect(FileManager.default.fileExists(atPath: first.scratch.trials))
    first.close()
    #expect(try names() == [unmarked, name(second), foreign].sorted())
    second.close()
    #expect(try names() == [unmarked, foreign])
  }

  @Test func aDiskIsNoMemory() {
    #expect(Linux.isRAMDisk(products.path) == false)
    #expect(MemoryDirectory(parent: products.path) == nil)
    #expect(MemoryDirectory(parent: "/nonexistent", room: 1 << 30) == nil)
  }

  @Test func whatFitsIsTaken() throws {
    func takes(_ room: Int, _ records: Int, _ cache: CacheState = .warm) throws -> Bool {
      let memory = try memory(room)
      defer { memory.close() }
      return memory.takes(.sample(Cell.sample(records: records).with { $0.cache = cache }))
    }
    // 64 MiB is the size in a container.
    #expect(try takes(64 << 20, 1_000))
    #expect(try !takes(64 << 20, 10_000))
    #expect(try takes(8 << 30, 100_000))
    #expect(try !takes(8 << 30, 100_000, .cold))
  }

  private func plan(_ records: [Int]) -> Plan {
    Plan(
      rounds: 1, scratch: directory.path,
      cells: records.map { PlannedCell.sample("page", "save-one", records: $0) })
  }

  /// Runs a plan beside a directory of this size. Returns the launches, with whether each was in memory.
  private func run(
    _ plan: Plan, room: Int = 1 << 40,
    answer: @escaping @Sendable (_ request: TrialRequest, _ isInMemory: Bool) throws -> LaunchOutcome
  ) async throws -> (launches: [(task: TrialRequest.Task, records: Int, isInMemory: Bool)], trials: [Trial]) {
    let memory = try memory(room)
    defer { memory.close() }
    let path = memory.scratch.path + "/"
    let launcher = ScriptedLauncher { try answer($0, $0.directory.hasPrefix(path)) }
    try await runScripted(plan, launcher, in: directory, memory: memory)
    #expect((try? FileManager.default.contentsOfDirectory(atPath: memory.scratch.trials))?.isEmpty != false)
    let launches = launcher.launches.map { ($0.task, $0.cell.records, $0.directory.hasPrefix(path)) }
    return (launches, try directory.run.allTrials())
  }

  @Test func countsAreTakenInMemoryAndTimesAreNot() async throws {
    let (launches, trials) = try await run(plan([100, 100_000]), room: 64 << 20) { request, _ in
      if request.task == .cost {
        try Data(repeating: 1, count: 10_000).write(to: URL(fileURLWithPath: "\(request.store)/file"))
      }
      var response = TrialResponse.ordinary(request)
      response.cost?.fileBytesAllocated = 1
      return .answered(response)
    }
    for launch in launches {
      let isSmallCount = launch.records == 100 && [.cost, .verify].contains(launch.task)
      #expect(launch.isInMemory == isSmallCount, "\(launch)")
    }
    #expect(Set(launches.map(\.task)) == [.fixture, .timed, .cost, .verify])
    for trial in trials {
      #expect(trial.inMemory == (trial.pass == .timed ? nil : trial.cell.records == 100), "\(trial.cell.name)")
    }
    // The allocated size of a file is measured on the scratch disk even if the store was in memory.
    let costs = Dictionary(uniqueKeysWithValues: trials.filter { $0.pass == .cost }.map { ($0.cell.records, $0.cost) })
    #expect(costs[100]??.fileBytesAllocated == 12_288)
    #expect(costs[100_000]??.fileBytesAllocated == 1)
  }

  @Test(arguments: [TrialRequest.Task.cost, .verify])
  func whatFailsInMemoryIsTriedOnTheDisk(task: TrialRequest.Task) async throws {
    let (launches, trials) = try await run(plan([100])) { request, isInMemory in
      request.task == task && isInMemory ? .killed(signal: SIGBUS) : .answered(.ordinary(request))
    }
    let cost = try #require(trials.first { $0.pass == .cost })
    #expect(cost.status == .ok && cost.inMemory == false && cost.cost != nil)
    #expect(trials.count { $0.pass == .cost } == 1)
    #expect(launches.filter { $0.task == .cost }.map(\.isInMemory) == [true, false])
  }

  @Test func aStuckDirectoryIsWaitedForOnce() async throws {
    let (launches, trials) = try await run(plan([100])) { request, _ in
      request.task == .cost ? .exceededLimit : .answered(.ordinary(request))
    }
    #expect(launches.filter { $0.task == .cost }.map(\.isInMemory) == [true])
    #expect(trials.first { $0.pass == .cost }?.status == .failed)
  }

  @Test func whoseScratchIsInMemoryOrWantsTheDiskGetsNone() throws {
    let scratch = try Scratch(directory.path + "/scratch")
    defer { scratch.close(keepingFixtures: false) }
    var (onDisk, once) = (plan([100]), plan([100]))
    (onDisk.costOnDisk, once.once) = (true, true)
    #expect(MemoryDirectory.forCosts(of: onDisk, scratch: scratch) == nil)
    #expect(MemoryDirectory.forCosts(of: once, scratch: scratch) == nil)
  }
}
