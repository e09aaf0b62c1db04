import Foundation
import StorageBackends
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageWorkloads
import Testing
import TestSupport

@testable import StorageBench

@Suite struct PlanBuilderTests {
  func plan(
    _ arguments: String..., more: [String] = [], options: [String] = [], profile: Profile? = nil,
    isRAMDisk: Bool = false, change: (inout PlanBuilder) throws -> Void = { _ in }
  ) throws -> Plan {
    var builder = try PlanBuilder.sample(arguments + more, profile: profile, arguments: options)
    builder.isRAMDisk = isRAMDisk
    try change(&builder)
    return try builder.plan()
  }

  private func names(_ plan: Plan) -> Set<String> { Set(plan.cells.map(\.cell.name)) }

  /// The default backends of a run.
  private let usual = Catalog.whole.defaultBackends().map(\.id)

  @Test func theQuickProfile() throws {
    let plan = try plan()
    #expect(plan.profile == "quick")
    #expect(plan.rounds == 6)
    #expect(plan.trialTime == 20_000_000)
    var expected: Set<String> = []
    for id in usual {
      for records in [100, 1_000, 10_000] {
        expected.formUnion(["\(id)/save-one/\(records)/shipped", "\(id)/read-one/\(records)/-"])
        // LMDB is durable as shipped, so it has no second row. Apps usually set SQLite to a write-ahead log.
        if id != "lmdb" { expected.insert("\(id)/save-one/\(records)/durable") }
        if id.hasPrefix("sqlite") { expected.insert("\(id)/save-one/\(records)/intact") }
        // Durable saves of SQLite use a write-ahead log, so reads are measured with one, too.
        if id.hasPrefix("sqlite") { expected.insert("\(id):journal=wal/read-one/\(records)/-") }
      }
      let launch = "launch-warm:until=screen"
      expected.formUnion(
        ["import/1000/shipped", "\(launch)/1000/-", "\(launch)/10000/-", "load-all/10000/-"].map { "\(id)/\($0)" })
    }
    #expect(names(plan) == expected)
    #expect(plan.cells.count == expected.count)
  }

  /// The backends of a profile that names none, with the lower bounds.
  private static let usual = Set(Backends.all.filter { $0.description.isDefault }.map { $0.description.id })

  @Test func backendsAreTakenByPatterns() throws {
    func backends(_ text: String) throws -> [String] {
      try plan("-b", text, "-w", "save-one", "-n", "10").cells.map { "\($0.cell.backend)" }
    }
    #expect(try backends("sqlite*") == ["sqlite", "sqlite-queue"])
    #expect(try backends("l?db,sqlite*:journal=wal") == ["lmdb", "sqlite:journal=wal", "sqlite-queue:journal=wal"])
  }

  @Test func theCountsProfileTakesEverythingAndTimesNothing() throws {
    let plan = try plan(profile: .counts)
    #expect(plan.rounds == 0)
    #expect(Set(plan.cells.map(\.cell.backend.id)) == Self.usual)
    #expect(Set(plan.cells.map(\.cell.workload.id)) == Set(Workloads.all.map { $0.description.id }))
  }

  @Test func theProfileOfYCSBIsAsPublished() throws {
    let plan = try plan(profile: .ycsb)
    #expect(
      names(plan)
        == Set(
          ["a", "b", "c", "d", "e", "f"].flatMap { name in
            // Reads have no level.
            ["lmdb", "sqlite"].map { "\($0)/mix:ycsb=\(name)/100000/\(name == "c" ? "-" : "durable")/bytes=1000" }
          }))
    #expect(plan.cells.allSatisfy { $0.cell.threads == 1 && $0.level == ($0.cell.durability == nil ? nil : .durable) })
    // Other backends, sizes and levels on request.
    let other = try self.plan("-b", "plist", "-n", "10", "--durability", "shipped", profile: .ycsb)
    #expect(names(other).contains("plist/mix:ycsb=f/10/shipped/bytes=1000"))
    #expect(other.cells.count == 6)
    #expect(names(try self.plan("-w", "mix:ycsb=d", profile: .ycsb)).count == 2)
  }

  @Test func threadsAreTheCellsAndHaveOneName() throws {
    let option = try plan("-b", "sqlite", "-w", "transfer,transfer:threads=4", "-n", "10")
    #expect(names(option) == ["sqlite/transfer/10/shipped", "sqlite/transfer/10/shipped/threads=4"])
    // The flag applies to workloads that run on threads and do not state a number.
    let flag = try plan("-b", "sqlite", "-w", "transfer,app-log:threads=2,save-one", "-n", "10", "--threads", "4")
    #expect(
      names(flag) == [
        "sqlite/transfer/10/shipped/threads=4", "sqlite/app-log/10/shipped/threads=2", "sqlite/save-one/10/shipped",
      ])
    #expect(flag.cells.map(\.cell.workload.description) == ["transfer", "app-log", "save-one"])
    #expect(throws: UsageError.self) { try plan("-w", "transfer:threads=2000", "-n", "10") }
    expectUsageError("--threads 8: no workload of this run supports several threads; leave --threads out") {
      try plan("-w", "save-one", "-n", "10", "--threads", "8")
    }
    // A schedule starts operations one by one, so its latencies would say nothing about several threads.
    for arguments in [["-w", "transfer:threads=2"], ["-w", "save-one,transfer", "--threads", "2"]] {
      expectUsageError("shipped/threads=2 uses 2 threads; leave out --rate") {
        try plan("-n", "10", more: arguments, options: ["--rate", "100"])
      }
    }
    #expect(try plan("-w", "transfer", "-n", "10", options: ["--rate", "100"]).rate == 100)
  }

  @Test func theFullProfileSkipsWhatTakesTooLong() throws {
    let plan = try plan(profile: .full)
    #expect(plan.rounds == 6 && plan.trialTime == 100_000_000)
    #expect(Set(plan.cells.map(\.cell.backend.id)) == Self.usual)
    #expect(Set(plan.cells.map(\.cell.workload.id)) == Set(Workloads.all.map { $0.description.id }))
    func cell(_ name: String) throws -> PlannedCell { try #require(plan.cells.first { $0.cell.name == name }) }
    for size in [100, 1_000, 10_000, 100_000] {
      for row in ["save-one/\(size)/shipped", "save-one/\(size)/durable", "read-one/\(size)/-"] {
        #expect(try cell("sqlite/\(row)").refusal == nil)
        let refusal = try cell("plist/\(row)").refusal
        #expect(
          size > 10_000 ? refusal?.status == .skipped && refusal?.note.isEmpty == false : refusal == nil, "\(row)")
      }
      for id in ["sqlite", "sqlite-queue", "lmdb"] {
        #expect(try cell("\(id)/save-one/\(size)/intact").refusal == nil)
      }
      #expect(try (cell("archive/read-one/\(size)/-").untimed != nil) == (size == 10_000))
      #expect(try cell("sqlite/read-one/\(size)/-").untimed == nil)
    }
    #expect(try cell("sqlite/rollback/1000/durable").refusal == nil)
    #expect(try cell("sqlite/four-lines/4/durable").refusal == nil)
    // A size that the user requests is run.
    let asked = try self.plan("-n", "100k", "-b", "archive", "-w", "save-one", profile: .full)
    #expect(asked.cells.allSatisfy { $0.refusal == nil && $0.untimed == nil })
  }

  @Test(arguments: [(Profile.pairs, RowPairs.usual), (.tuning, RowPairs.tuning)])
  func aProfileOfPairsHasBothRowsOfEveryPair(profile: Profile, pairs: [RowPair]) throws {
    let plan = try plan(profile: profile)
    let rows = plan.cells.map { planned in
      SummaryRow(
        cell: planned.cell, machine: "", run: "", level: planned.level, engineVersion: "", fidelity: planned.fidelity,
        seed: 1)
    }
    let titles = RowPairing.all(in: rows).map { "\($0.pair.title) \($0.pair.slower)" }
    for pair in pairs { #expect(titles.contains("\(pair.title) \(pair.slower)"), "\(pair.title)") }
  }

  @Test func withWorkloadsOrRecordsThereIsNoProfile() throws {
    let sizes = try plan("-n", "10,20")
    #expect(sizes.profile == nil)
    #expect(names(sizes) == Set(usual.flatMap { ["\($0)/save-one/10/shipped", "\($0)/save-one/20/shipped"] }))
    let workloads = try plan("-w", "read-one,import:batch=7")
    #expect(workloads.profile == nil)
    #expect(workloads.trialTime == 100_000_000)
    #expect(names(workloads) == Set(usual.flatMap { ["\($0)/read-one/1000/-", "\($0)/import:batch=7/1000/shipped"] }))
  }

  @Test func otherOptionsNarrowTheProfile() throws {
    let narrowed = try plan("-b", "sqlite,lmdb", "--rounds", "2", "--seed", "9")
    #expect(narrowed.profile == "quick")
    #expect(narrowed.rounds == 2)
    #expect(narrowed.seed == 9)
    #expect(Set(narrowed.cells.map(\.cell.backend.id)) == ["sqlite", "lmdb"])
    let sized = try plan("-w", "save-one,iterate", "-n", "50", "-b", "sqlite", profile: .quick)
    #expect(
      names(sized) == [
        "sqlite/save-one/50/shipped", "sqlite/save-one/50/intact", "sqlite/save-one/50/durable", "sqlite/iterate/50/-",
      ])
  }

  @Test func patternsAndAll() throws {
    let reads = try plan("-b", "all", "-w", "read-*", "-n", "10")
    #expect(Set(reads.cells.map(\.cell.workload.id)) == ["read-one", "read-hot", "read-missing", "read-bytes"])
    #expect(reads.cells.count == 4 * Backends.all.count)
    #expect(reads.cells.allSatisfy { $0.level == nil && $0.cell.durability == nil })
  }

  @Test func skipMatchesWholeNames() throws {
    let all = try plan("-b", "sqlite,sqlite-queue,sqlite:journal=delete", "-n", "10")
    #expect(all.cells.count == 3)
    let some = try plan("-b", "sqlite,sqlite-queue,sqlite:journal=delete", "-n", "10", "--skip", "sqlite/*")
    #expect(names(some) == ["sqlite-queue/save-one/10/shipped", "sqlite:journal=delete/save-one/10/shipped"])
  }

  /// A number that no run could use, such as readers=500, is refused before anything is run.
  @Test func numbersBeyondTheLimitOfAnOptionAreRefused() throws {
    let backends = Backends.all.flatMap { type in
      type.description.options.map { ("-b", type.description.id, $0, ["-w", "save-one"]) }
    }
    let workloads = Workloads.all.flatMap { type in
      type.description.options.map { ("-w", type.description.id, $0, ["-b", "sqlite"]) }
    }
    let numeric = (backends + workloads).filter { $0.2.valueNames.contains("NUMBER") }
    #expect(numeric.count > 4)
    for (flag, id, option, others) in numeric {
      #expect(option.most <= 1_000_000_000, "\(id):\(option.name)")
      expectUsageError("whole number from 1 to") {
        try self.plan(flag, "\(id):\(option.name)=\(option.most + 1)", "-n", "10", more: others)
      }
    }
  }

  @Test func oneCellIsPlannedOnce() throws {
    #expect(try plan("-b", "sqlite,sqlite,sqlite:journal=auto", "-n", "10,10").cells.count == 1)
  }

  @Test func rowsThatCannotBe() throws {
    let plan = try plan(
      "-b", "defaults,memory,lmdb:sync=nometasync", "-w", "save-one,launch-warm", "-n", "10",
      "--durability", "shipped,durable")
    func refusal(_ name: String) -> Status? { plan.cells.first { $0.cell.name == name }?.refusal?.status }
    #expect(refusal("defaults/save-one/10/shipped") == nil)
    for row in ["defaults", "memory", "lmdb:sync=nometasync"] {
      #expect(refusal("\(row)/save-one/10/durable") == .notAvailable)
      #expect(plan.cells.contains { $0.cell.name == "\(row)/save-one/10/durable" && $0.refusal?.note.isEmpty == false })
    }
    #expect(refusal("memory/launch-warm/10/-") == .notAvailable)
    #expect(refusal("memory/save-one/10/shipped") == nil)
    #expect(plan.cells.first { $0.cell.backend.id == "memory" }?.isFloor == true)
  }

  @Test func aRAMDiskIsNotDurable() throws {
    expectUsageError("--durability durable: /scratch is in memory, where nothing is durable; give --scratch") {
      try plan("-b", "sqlite", "--durability", "durable", isRAMDisk: true)
    }
    #expect(throws: UsageError.self) { try plan("-b", "sqlite", "--durability", "intact", isRAMDisk: true) }
    #expect(throws: Never.self) { try plan("-b", "sqlite", "--durability", "crash,shipped", isRAMDisk: true) }
    #expect(throws: Never.self) {
      try plan("-b", "sqlite", "--durability", "durable", options: ["--allow-ram-disk"], isRAMDisk: true)
    }
    // Passes that only count calls need no durability.
    #expect(throws: Never.self) {
      try plan("-b", "sqlite", "--durability", "durable", isRAMDisk: true) { $0.options.once = true }
    }
    let counts = try plan("-b", "sqlite", "--durability", "durable", profile: .counts, isRAMDisk: true)
    #expect(counts.cells.contains { $0.cell.durability == .durable && $0.refusal == nil })
    // In a profile, the other rows are still useful.
    let profile = try plan("-b", "sqlite", isRAMDisk: true)
    let durable = profile.cells.first { $0.cell.durability == .durable }
    #expect(durable?.refusal?.status == .skipped)
    // Three sizes, at two levels.
    #expect(profile.cells.filter { $0.refusal != nil }.count == 6)
  }

  @Test func readsRunInTheSettingsThatAreAskedFirst() throws {
    func settings(_ durability: String?, _ backend: String = "sqlite") throws -> [Durability?] {
      let asked = durability.map { ["--durability", $0] } ?? []
      let cells = try CellOptions.parse(["-b", backend, "-w", "read-one,save-one", "-n", "10"] + asked)
      let plan = try plan { $0.cells = cells }
      #expect(plan.cells.allSatisfy { $0.cell.durability == nil || $0.readDurability == nil })
      return plan.cells.filter { $0.cell.durability == nil }.map(\.readDurability)
    }
    #expect(try settings(nil) == [nil])
    #expect(try settings("shipped") == [nil])
    #expect(try settings("durable") == [.durable])
    // Reads are measured once, with the first level of the list.
    #expect(try settings("durable,shipped") == [.durable])
    #expect(try settings("shipped,durable") == [nil])
    // Levels that the backend cannot be set to are skipped.
    #expect(try settings("durable,crash", "lmdb:sync=nometasync") == [.crash])
    #expect(try settings("durable", "memory") == [nil])
    // All reads of this profile use the settings of one level.
    let ycsb = try plan(profile: .ycsb)
    #expect(ycsb.cells.filter { $0.cell.durability == nil }.map(\.readDurability) == [.durable, .durable])
    let again = try plan { $0.repeated = ycsb }
    #expect(again.cells == ycsb.cells)
  }

  @Test func shardsHaveAllCellsBetweenThem() throws {
    // Some of all workloads have a fixed number of records, so that two sizes give one cell.
    for arguments in [[], ["-b", "all", "-w", "*", "-n", "10,20"]] {
      let all = names(try plan(more: arguments))
      let parts = try (1...3).map { number in
        names(try plan(more: arguments) { $0.options.shard = try Shard("\(number)/3") })
      }
      #expect(parts.allSatisfy { $0.count > 20 } && parts.reduce(0) { $0 + $1.count } == all.count)
      #expect(parts.reduce(into: Set()) { $0.formUnion($1) } == all)
    }
    // With more parts than cells, a part without cells is a run, too.
    let counts = try (1...40).map { number in
      try plan("-b", "null", "-n", "1") { $0.options.shard = try Shard("\(number)/40") }.cells.count
    }
    #expect(counts.sorted() == Array(repeating: 0, count: 39) + [1])
    #expect(throws: UsageError.self) { try plan("-n", "1", "--skip", "*") { $0.options.shard = try Shard("1/2") } }
  }

  @Test func partsAreJudgedAndTimedAsTheWholeIs() throws {
    // Parts without a cell that runs on several threads accept the flag, too.
    for number in 1...8 {
      let part = try plan("-b", "sqlite,lmdb", "-w", "transfer,save-one", "-n", "10", "--threads", "2") {
        $0.options.shard = try Shard("\(number)/8")
      }
      #expect(part.cells.count <= 4)
    }
    // The budget holds for each part, and gives all parts the same number of rounds.
    let budget: Int64 = 20_000_000_000
    let rounds = try (1...4).map { number in
      try plan("-n", "10") {
        $0.options.shard = try Shard("\(number)/4")
        $0.options.budget = budget
      }.rounds
    }
    #expect(Set(rounds).count == 1)
    #expect(try rounds[0] >= plan("-n", "10") { $0.options.budget = budget }.rounds)
  }

  @Test func planningIsLinearInTheCells() throws {
    func make(_ sizes: Int) throws {
      let list = (1...sizes).map { String($0 * 10) }.joined(separator: ",")
      let plan = try plan("-w", "save-one,import,read-one,load-all", "-n", list)
      #expect(plan.cells.count == sizes * 4 * usual.count)
    }
    try make(1)
    // Work that is quadratic in the cells has a ratio of 16.
    let ratio = try WorkGrowth.ratio(enough: 9) {
      try make(20)
    } to: {
      try make(80)
    }
    #expect(ratio < 9)
  }

  @Test func aBudgetSetsTheRounds() throws {
    let few = try plan("-n", "10") { $0.options.budget = 1_000_000_000 }
    let many = try plan("-n", "10") { $0.options.budget = 3_600_000_000_000 }
    #expect(few.rounds >= 1)
    #expect(few.rounds < 6)
    #expect(many.rounds == 20)
    #expect(try plan("-n", "10") { $0.options.once = true }.rounds == 0)
  }

  @Test func aDatasetBringsItsOwnSize() throws {
    let directory = TemporaryDirectory()
    let path = try directory.write("records.csv", "id,payload\n1,abcd\n2,ef\n3,\n")
    let dataset = try Dataset(path: path)
    let plan = try plan("-b", "sqlite", "--dataset", path) { $0.dataset = dataset }
    #expect(plan.cells.allSatisfy { $0.cell.records == 3 && $0.cell.recordBytes == 2 })
    #expect(plan.datasetHash == dataset.hash)
    #expect(plan.dataset == URL(fileURLWithPath: path).path)
    expectUsageError("--records cannot be combined with --dataset, which has 3 records") {
      try self.plan("-b", "sqlite", "-n", "5", "--dataset", path) { $0.dataset = dataset }
    }
    for flag in ["--record-bytes=64", "--payload=text"] {
      expectUsageError("cannot be combined with --dataset, whose records have their own payloads") {
        try self.plan("-b", "sqlite", flag, "--dataset", path) { $0.dataset = dataset }
      }
    }
    #expect(plan.datasetInWords?.contains("3 records; id <-") == true)
  }

  @Test(arguments: [
    ("--backend=sqlite:journal=walk", "unknown value 'walk' of option journal of backend sqlite; the nearest is 'wal'"),
    ("--backend ", "--backend '' has an empty item"),
    (
      "--workload=import:batch=0",
      "option batch of workload import '0' is not usable; give a whole number from 1 to 100,000,000"
    ),
    ("--workload=import:bath=5", "unknown option 'bath' of workload import; the nearest is 'batch'"),
    ("--workload=zzz*", "no workload matches 'zzz*'"),
    ("--backend=oracle*", "no backend matches 'oracle*'; there are: plist, "),
    ("--skip=sqlite", "--skip 'sqlite' matches no cell; "),
    ("--skip=*/save-one/* --skip=x/*", "--skip 'x/*' matches no cell; "),
    ("--skip ", "--skip '' matches no cell; "), ("--skip=*", "no cell is left to run"),
  ])
  func whatIsUnknownIsNamed(options: String, part: String) {
    expectUsageError(part) { try plan("-n", "10", more: options.components(separatedBy: " ")) }
  }

  @Test(arguments: [
    ("grdb", "sqlite-queue"), ("GRDB:pool=yes", "sqlite-queue:pool=yes"), ("fmdb", "sqlite"), ("SQLite", "sqlite"),
    ("UserDefaults", "defaults"), ("Core Data", "object-graph"), ("core-data", "object-graph"),
    ("swiftdata", "object-graph"), ("NSKeyedArchiver", "archive"), ("PropertyListEncoder", "plist"),
  ])
  func `a backend has the names that people know`(text: String, spec: String) throws {
    #expect(try plan("-b", text, "-n", "10").cells.map(\.cell.backend.description) == [spec])
  }

  @Test func `no two backends have one name`() {
    let names = Backends.all.flatMap { [$0.description.id] + $0.description.aliases }
    #expect(Set(names.map { $0.filter(\.isLetter) }).count == names.count - 1, "sqlite and sqlite3 are one")
  }
}
