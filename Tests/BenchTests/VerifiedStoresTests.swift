import Foundation
import StorageBackends
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads
import Testing

@testable import StorageBench

@Suite struct VerifiedStoresTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Returns a trial of one save, in a separate directory.
  private func request(_ number: Int, _ backend: String, _ durability: Durability = .shipped) throws -> TrialRequest {
    var cell = Cell.sample(backend, records: 100)
    cell.workload = try Catalog(backends: [], workloads: Workloads.all).workloadSpec("save-one")
    cell.durability = durability
    let own = "\(URL(fileURLWithPath: directory.path).standardizedFileURL.path)/scratch/trials/\(number)"
    for part in ["store", "tmp"] {
      try FileManager.default.createDirectory(atPath: "\(own)/\(part)", withIntermediateDirectories: true)
    }
    return TrialRequest(
      task: .timed, cell: cell, seed: 1, payload: "random", dataset: nil, directory: own, trialTime: 1, isSlow: true)
  }

  private func launch(_ request: TrialRequest) async throws -> TrialResponse {
    var fixture = request
    fixture.task = .fixture
    _ = try await ProcessLauncher.misbehaving.launch(fixture, limit: .usualSilence)
    let outcome = try await ProcessLauncher.misbehaving.launch(request, limit: .usualSilence)
    guard case .answered(let response) = outcome else {
      throw StoreError.failed(outcome.sentence(limit: .usualSilence))
    }
    return response
  }

  private func plan(_ cells: [Cell], rounds: Int) -> Plan {
    Plan(
      rounds: rounds, cellLimit: 1_000_000_000, scratch: directory.path,
      cells: cells.map {
        var planned = PlannedCell.sample("page", "save-one")
        planned.cell = $0
        planned.isWholeFile = $0.backend.id != "lmdb"
        return planned
      })
  }

  @Test func onlyTheSameBytesAreNotVerifiedAgain() async throws {
    let scratch = try Scratch(directory.path + "/scratch")
    defer { scratch.close(keepingFixtures: false) }
    var first = try request(1, "plist")
    var second = try request(2, "plist", .durable)
    let kept = VerifiedStores(plan([first.cell, second.cell], rounds: 2), scratch)
    first.verified = try #require(kept.directory(of: first))
    let response = try await launch(first)
    #expect(response.failure == nil && response.isSame == nil)
    let operations = try #require(response.operations)
    kept.keep(first, operations: operations)
    #expect(!FileManager.default.fileExists(atPath: first.store))

    // The same saves at another level.
    second.verified = kept.directory(of: second)
    #expect(second.verified == first.verified)
    #expect(try await launch(second).isSame == true)

    // A lost save is detected in spite of the kept store.
    for (number, backend) in ["forgets", "loses-update"].enumerated() {
      var other = try request(10 + number, backend)
      other.verified = first.verified
      let response = try await launch(other)
      #expect(response.failure?.contains("has a wrong modified") == true, "\(backend): \(response.failure ?? "")")
    }

    // If the last byte of the kept store differs, the new store is verified, without a failure.
    let file = try #require(StoreFiles.paths("\(scratch.verified)/0-seed1/\(operations)").first)
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
    let end = try handle.seekToEnd()
    try handle.seek(toOffset: end - 1)
    let last = try #require(try handle.readToEnd()?.first)
    try handle.seek(toOffset: end - 1)
    try handle.write(contentsOf: Data([last ^ 1]))
    try handle.close()
    let again = try await launch(with(try request(3, "plist")) { $0.verified = first.verified })
    #expect(again.failure == nil && again.isSame == nil)
  }

  private func with(_ request: TrialRequest, _ change: (inout TrialRequest) -> Void) -> TrialRequest {
    var request = request
    change(&request)
    return request
  }

  /// Empty directories prove nothing: a backend may have its store elsewhere.
  @Test func whatHasNoFilesIsNotTheSame() throws {
    let (first, second) = ("\(directory.path)/first", "\(directory.path)/second")
    func add(_ name: String, _ text: String, to path: String) throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }
    #expect(!StoreFiles.areEqual(first, second))
    for path in [first, second] { try add("lock", "", to: path) }
    #expect(!StoreFiles.areEqual(first, second))
    for path in [first, second] { try add("store", "records", to: path) }
    #expect(StoreFiles.areEqual(first, second))
    try add("store", "Records", to: second)
    #expect(!StoreFiles.areEqual(first, second))
    try add("store", "records", to: second)
    try add("log", "", to: second)
    #expect(!StoreFiles.areEqual(first, second) && !StoreFiles.areEqual(second, first))
  }

  @Test func onlyWhatIsWrittenWholeAndComesAgainIsKept() throws {
    let scratch = try Scratch(directory.path + "/scratch")
    defer { scratch.close(keepingFixtures: false) }
    let (shipped, durable) = (try request(1, "plist"), try request(2, "plist", .durable))
    let lmdb = try request(3, "lmdb")
    let reading = with(shipped) { $0.cell.durability = nil }
    func directories(_ requests: [TrialRequest], rounds: Int, streamPerRound: Bool? = true) -> [String?] {
      var plan = plan(requests.map(\.cell), rounds: rounds)
      plan.streamPerRound = streamPerRound
      let kept = VerifiedStores(plan, scratch)
      return requests.map { kept.directory(of: $0) }
    }
    let storeDirectory = "\(scratch.verified)/0-seed1"
    #expect(directories([shipped, lmdb, reading], rounds: 1) == [nil, nil, nil])
    #expect(directories([shipped, durable], rounds: 1) == [storeDirectory, storeDirectory])
    // Each round makes other saves, except in plans of older versions.
    #expect(directories([lmdb, reading, shipped], rounds: 6) == [nil, nil, nil])
    #expect(directories([lmdb, reading, shipped], rounds: 6, streamPerRound: nil) == [nil, nil, storeDirectory])
    let (second, third) = (with(shipped) { $0.stream = 8 }, with(durable) { $0.stream = 9 })
    #expect(directories([second, third], rounds: 6) == [8, 9].map { "\(scratch.verified)/0-seed\($0)" })
  }

  /// The stores of a round are useless to the next one, and are removed to free their space.
  @Test func anotherStreamFindsNothingOfTheOneBefore() throws {
    let scratch = try Scratch(directory.path + "/scratch")
    defer { scratch.close(keepingFixtures: false) }
    let cells = [try request(1, "plist").cell, try request(2, "plist", .durable).cell]
    let kept = VerifiedStores(plan(cells, rounds: 3), scratch, bytes: 10_000)
    for stream in UInt64(7)...9 {
      let request = with(try request(Int(stream), "plist")) { $0.stream = stream }
      try Data(repeating: 7, count: 8_000).write(to: URL(fileURLWithPath: "\(request.store)/file"))
      kept.keep(request, operations: 5)
      // The number of operations is that of the round before, and two stores would exceed the limit in bytes.
      let storeDirectory = try #require(kept.directory(of: request))
      #expect(StoreFiles.sizes("\(storeDirectory)/5").length == 8_000)
      #expect(stream == 7 || !FileManager.default.fileExists(atPath: "\(scratch.verified)/0-seed\(stream - 1)/5"))
    }
  }

  /// The store of a cost pass is kept, on the disk or in memory, until the last cell has been compared with it.
  @Test(arguments: [false, true]) func whatIsCountedIsKeptUntilAllHaveAsked(inMemory: Bool) throws {
    let scratch = try Scratch(directory.path + "/scratch")
    defer { scratch.close(keepingFixtures: false) }
    let other = try Scratch(directory.path + "/other")
    defer { other.close(keepingFixtures: false) }
    let requests = try [Durability.shipped, .crash, .durable].enumerated().map { number, durability in
      try with(request(number + 1, "plist", durability)) { $0.task = .cost }
    }
    let verified = VerifiedStores(
      plan(requests.map(\.cell), rounds: 1), inMemory ? other : scratch, memory: inMemory ? scratch : nil)
    for (request, text) in zip(requests, ["alike", "other", "alike"]) {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(request.store)/file"))
    }
    var response = TrialResponse()
    response.operations = 3
    #expect(verified.response(for: requests[0]) == nil)
    verified.keep(response, of: requests[0])
    #expect(!FileManager.default.fileExists(atPath: requests[0].store))
    let storeDirectory = "\(scratch.verified)/0/counted"
    #expect(verified.response(for: requests[1]) == nil)
    verified.keep(response, of: requests[1])
    #expect(FileManager.default.fileExists(atPath: requests[1].store) && StoreFiles.sizes(storeDirectory).length == 5)
    #expect(verified.response(for: requests[2]) == response)
    #expect(!FileManager.default.fileExists(atPath: storeDirectory))
    // The stores of timed trials are kept separately.
    #expect(verified.directory(of: requests[0]) == "\(inMemory ? other.verified : scratch.verified)/0-seed1")
  }

  @Test func noMoreIsKeptThanThereIsRoomFor() throws {
    let scratch = try Scratch(directory.path + "/scratch")
    defer { scratch.close(keepingFixtures: false) }
    let cells = [try request(1, "plist").cell, try request(2, "plist", .durable).cell]
    let kept = VerifiedStores(plan(cells, rounds: 2), scratch, bytes: 10_000)
    for (number, (length, isKept)) in [(5_000, true), (8_000, false), (1, false), (100, false)].enumerated() {
      // The last two have made the same number of saves as the first.
      let (request, operations) = (try request(number + 10, "plist"), number < 2 ? number : 0)
      try Data(repeating: 7, count: length).write(to: URL(fileURLWithPath: "\(request.store)/file"))
      kept.keep(request, operations: operations)
      #expect(FileManager.default.fileExists(atPath: request.store) == !isKept)
    }
    #expect(StoreFiles.sizes("\(scratch.verified)/0-seed1/0").length == 5_000)
  }

  /// If the disk has less free space than the plan needs, nothing is kept: a later cell may need the space.
  @Test func nothingIsKeptWhereTheRunHardlyFits() throws {
    let scratch = try Scratch(directory.path + "/scratch")
    defer { scratch.close(keepingFixtures: false) }
    let plan = plan([try request(1, "plist").cell, try request(2, "plist", .durable).cell], rounds: 2)
    let needed = PlanEstimate.bytes(plan)
    for (number, free) in [nil, 0, needed - 1, needed].enumerated() {
      let kept = VerifiedStores(plan, scratch, free: { $0 == scratch.path ? free : nil })
      let request = try request(number + 10, "plist")
      try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: "\(request.store)/file"))
      kept.keep(request, operations: number)
      #expect(FileManager.default.fileExists(atPath: "\(scratch.verified)/0-seed1/\(number)") == (free == needed))
    }
  }
}
