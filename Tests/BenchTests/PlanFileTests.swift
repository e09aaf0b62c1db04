import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial
import Testing

@testable import StorageBench

@Suite struct PlanFileTests {
  private let catalog = Catalog.whole

  private func command(_ text: String, _ arguments: [String] = []) throws -> (RunOptions, PlanFile) {
    let file = try PlanFile(text, path: "p.yaml", catalog: catalog)
    return (try file.options(beside: arguments), file)
  }

  private func plan(_ text: String, _ arguments: String...) throws -> Plan {
    let (command, file) = try command(text, arguments)
    var builder = PlanBuilder(catalog: catalog, options: command)
    if command.profile == nil { builder.blocks = file.blocks }
    builder.scratch = "/scratch"
    return try builder.plan()
  }

  private let flags = Set(RunCommand.helpMessage(columns: 200).matches(of: /--[a-z][a-z-]+/).map { String($0.output) })

  /// A resumed run takes all its settings from the plan.
  @Test func everyFlagOfRunIsRefusedBesideResume() {
    func isRefused(_ arguments: String...) -> Bool { (try? RunOptions.requireResumable(arguments)) == nil }
    let taken = flags.subtracting(["--help"]).filter { !isRefused("\($0)=x") }
    #expect(taken == ["--resume", "--quiet", "--verbose", "--allow-debug", "--export-markdown"])
    #expect(!isRefused("--resume", "a", "-q", "--export-markdown=b"))
    #expect(isRefused("--resume", "a", "-b", "x"))
  }

  @Test func everyFlagOfRunIsAKey() throws {
    let ofOneCall: Set = ["--plan", "--resume", "--dry-run", "--export-markdown", "--help", "--version"]
    #expect(try flags.subtracting(ofOneCall) == Set(RunOptions.keys.map { "--\($0.name)" }))
  }

  @Test func keysDoWhatFlagsDo() throws {
    let (command, _) = try command(
      """
      # A comment.
      label: my app
      backend: [plist, sqlite: {journal: wal, statements: fresh}, lmdb]
      workload:
        - save-one
        - import: {batch: 7}
        - mix: {read: 80, update: 15.5, insert: 4.5, dist: latest}
      skip: ["lmdb/*", "*/import*"]
      records: [100, 10k]
      record-bytes: 200
      payload: text
      durability: shipped
      threads: 1
      cache: warm
      rate: 50.5
      rounds: 8
      trial-time: 20ms
      cell-limit: 2m
      seed: 7
      scratch: /tmp/stores
      out: below/run
      shard: 1/2
      once: yes
      keep-stores: true
      quiet: false
      allow-debug: true
      """)
    #expect(command.cells.backend == "plist,sqlite:journal=wal:statements=fresh,lmdb")
    #expect(command.cells.workload == "save-one,import:batch=7,mix:read=80:update=15.5:insert=4.5:dist=latest")
    #expect(command.cells.skip == ["lmdb/*", "*/import*"])
    #expect(command.cells.records == [100, 10_000])
    #expect(command.cells.recordBytes == 200)
    #expect(command.cells.payload == .text)
    #expect(command.cells.durability == [.shipped])
    #expect(command.cells.rounds == 8)
    #expect(command.cells.seed == 7)
    #expect(command.cells.scratch == "/tmp/stores")
    #expect(command.rate == 50.5)
    #expect(command.label == "my app")
    #expect(try command.shard == Shard("1/2"))
    #expect(command.once && command.keepStores && command.allowDebug)
    #expect(!command.quiet && !command.allowRamDisk)
    // Relative paths start from the directory of the plan file.
    #expect(command.out == URL(fileURLWithPath: "below/run").path)
  }

  @Test func flagsBesideThePlanHold() throws {
    let text = "records: 100\nrounds: 8\nseed: 3\nskip: a\n"
    let (command, _) = try command(text, ["-n", "5", "--budget", "10s", "--skip", "b"])
    #expect(command.cells.records == [5])
    #expect(command.cells.skip == ["b"])
    #expect(command.cells.seed == 3)
    // The number of rounds and a budget for them exclude each other.
    #expect(command.budget == 10_000_000_000)
    #expect(command.cells.rounds == nil)
  }

  private let lines = """
    backend: sqlite
    durability: durable
    cells:
      - workload: save-one
        records: [10, 20]
        durability: [shipped, crash]
      - {workload: [read-one, load-all], backend: [lmdb, plist], record-bytes: 7}
      - workload: import
    """

  @Test func linesOfCellsHaveSizesOfTheirOwn() throws {
    let plan = try plan(lines)
    #expect(plan.profile == nil)
    #expect(
      plan.cells.map(\.cell.name) == [
        "sqlite/save-one/10/shipped", "sqlite/save-one/10/crash", "sqlite/save-one/20/shipped",
        "sqlite/save-one/20/crash", "lmdb/read-one/1000/-/bytes=7", "plist/read-one/1000/-/bytes=7",
        "lmdb/load-all/1000/-/bytes=7", "plist/load-all/1000/-/bytes=7",
        // A key at the top level applies to lines that do not set it.
        "sqlite/import/1000/durable",
      ])
  }

  @Test func flagsHoldForAllLines() throws {
    #expect(
      try plan(lines, "-b", "lmdb", "-n", "5", "--durability", "shipped", "--record-bytes", "9").cells.map(\.cell.name)
        == [
          "lmdb/save-one/5/shipped/bytes=9", "lmdb/read-one/5/-/bytes=9", "lmdb/load-all/5/-/bytes=9",
          "lmdb/import/5/shipped/bytes=9",
        ])
    #expect(
      try plan(lines, "-w", "read-one").cells.map(\.cell.name)
        == ["lmdb/read-one/1000/-/bytes=7", "plist/read-one/1000/-/bytes=7"])
    let counts = try plan(lines, "--profile", "counts")
    #expect(counts.profile == "counts")
    #expect(Set(counts.cells.map(\.cell.backend.id)) == ["sqlite"])
  }

  @Test(arguments: [
    ("records: 10\nrecrods: 5\n", "p.yaml, line 2: unknown key 'recrods' of the plan; the nearest is 'records'"),
    ("backend:\n  - plist\n  - sqlit\n", "p.yaml, line 3: unknown backend 'sqlit'; the nearest is 'sqlite'"),
    ("workload: [save-one,\n  save-won]\n", "p.yaml, line 2: unknown workload 'save-won'; the nearest is 'save-one'"),
    (
      "workload:\n- import:\n    bath: 5\n",
      "p.yaml, line 3: unknown option 'bath' of workload import; the nearest is 'batch'"
    ),
    (
      "backend:\n- sqlite:\n    journal: wal\n    statements: frsh\n",
      "p.yaml, line 4: unknown value 'frsh' of option statements of backend sqlite; the nearest is 'fresh'"
    ),
    ("\nbackend: sqlite:jurnal=wal\n", "p.yaml, line 2: unknown option 'jurnal' of backend sqlite"),
    (
      "workload:\n- save-one\n- mix: {read: 80, update: 15}\n",
      "p.yaml, line 3: the shares of workload mix (read=80, update=15) add up to 95; make them 100"
    ),
    ("workload:\n- mix:\n    read: 80\n    update: lots\n", "p.yaml, line 4: unknown value 'lots' of option update"),
    ("label: a\nrecords: many\n", "p.yaml, line 2: records 'many' is not usable; give a whole number"),
    ("records:\n- 10\n- {a: b}\n", "p.yaml, line 3: an item of records is one word or number, not keys with values"),
    ("rounds: [1, 2]\n", "p.yaml, line 1: rounds takes one value, not a list"),
    ("seed: 1\nonce: perhaps\n", "p.yaml, line 2: once is true or false, not 'perhaps'"),
    ("once: [true]\n", "p.yaml, line 1: once is true or false, not a list"),
    ("profile: quik\n", "p.yaml, line 1: profile: unknown profile 'quik'; the nearest is 'quick'"),
    ("rate: fast\n", "p.yaml, line 1: rate 'fast' is not usable"),
    ("budget: soon\n", "p.yaml, line 1: budget 'soon' is not usable"),
    ("shard: 3/2\n", "p.yaml, line 1: shard '3/2' is not a shard"),
    ("records:\nseed: 1\n", "p.yaml, line 1: records has no value"),
    ("records: []\n", "p.yaml, line 1: the list of records is empty"),
    ("rounds: 3\nbudget: 1m\n", "p.yaml, line 1: rounds and budget say the same in two ways; leave out one"),
    ("seed: 1\nrecords: 5\nseed: 2\n", "p.yaml, line 3: key 'seed' is given twice"),
    ("records: [1\nseed: 2\n", "p.yaml, line 2: this is not YAML"),
    ("- records\n", "p.yaml, line 1: this is not a list of keys"),
    ("just words\n", "p.yaml, line 1: this is not a list of keys"),
    ("", "p.yaml is empty"),
    ("# nothing\n", "p.yaml is empty"),
    ("{}\n", "p.yaml has no keys"),
    ("cells:\n- records: 5\n", "p.yaml, line 2: this line of cells names no workload"),
    ("cells:\n- workload: save-one\n  seed: 5\n", "p.yaml, line 3: unknown key 'seed' of cells"),
    ("cells:\n- workload: save-one\n  records: x\n", "p.yaml, line 3: records 'x' is not usable"),
    ("cells:\n- workload: save-one\nworkload: import\n", "p.yaml, line 3: workload and cells say the same in two ways"),
    ("cells:\n- workload: save-one\nprofile: quick\n", "p.yaml, line 3: profile and cells say the same in two ways"),
    ("cells: save-one\n", "p.yaml, line 1: this is not a list of keys"),
    ("resume: results/x\n", "p.yaml, line 1: unknown key 'resume' of the plan"),
  ])
  func whatCannotBeUsedIsNamedWithItsLine(text: String, sentence: String) {
    let error = #expect(throws: (any Error).self) { try PlanFile(text, path: "p.yaml", catalog: catalog) }
    let refusal = error.map { "\($0)" } ?? ""
    #expect(refusal.hasPrefix(sentence), "\(refusal)")
    #expect(!refusal.contains("\n"))
  }
}

@Suite struct PlanRepetitionTests {
  private let catalog = Catalog.whole

  private func builder(_ arguments: String...) throws -> PlanBuilder { try .sample(arguments) }

  @Test func aRepetitionIsThePlan() throws {
    var first = try builder("-b", "sqlite,plist,defaults", "-n", "10,20", "--seed", "9", "--durability", "durable")
    first.options.rate = 5
    first.options.label = "once more"
    var plan = try first.plan()
    plan.cells[0].refusal = .init(status: .skipped, note: "left out")
    plan.cells[1].untimed = "too slow"
    var again = try builder()
    again.repeated = plan
    #expect(try again.plan() == plan)
    var other = try builder("--rounds", "3", "--seed", "1", "--skip", "plist/*")
    other.repeated = plan
    let changed = try other.plan()
    #expect(changed.rounds == 3 && changed.seed == 1 && changed.rate == 5)
    #expect(changed.cells == plan.cells.filter { $0.cell.backend.id != "plist" })
  }

  @Test(arguments: [
    ["-b", "sqlite"], ["-w", "read-one"], ["-n", "5"], ["--durability", "crash"], ["--payload", "text"],
    ["--profile", "full"], ["--plan", "p", "--threads=2"],
  ])
  func whatWouldMakeOtherCellsIsRefused(arguments: [String]) throws {
    let flag = arguments.last == "--threads=2" ? "--threads" : arguments[0]
    expectUsageError("--plan and cannot be combined with \(flag)") {
      try PlanBuilder.requireSameCells(arguments, words: "--plan")
    }
  }

  @Test func whatLeavesTheCellsAloneIsTaken() throws {
    try PlanBuilder.requireSameCells(
      [
        "--plan", "p", "--skip", "a", "--rounds", "3", "--trial-time=5ms", "--cell-limit", "1m", "--seed", "2",
        "--scratch", "d", "-o", "e", "--once", "--label", "x", "-q",
      ], words: "--plan")
  }

  @Test func whatThisBuildDoesNotKnowIsNamed() throws {
    var builder = try builder()
    var plan = try builder.plan()
    plan.cells[0].cell.backend = Spec(id: "nothing")
    builder.repeated = plan
    expectUsageError("unknown backend 'nothing'") { try builder.plan() }
  }

  @Test func storesLieWhereTheyLay() throws {
    var plan = try builder("-b", "null", "-n", "10").plan()
    plan.scratch = "/home/a/results/x/scratch"
    #expect(PlanBuilder.scratch(of: plan) == nil)
    plan.scratch = "/mnt/disk/storage-bench-scratch"
    #expect(PlanBuilder.scratch(of: plan) == "/mnt/disk")
  }

  @Test func sourcesAreDistinguished() throws {
    let temporary = TemporaryDirectory()
    let latin = URL(fileURLWithPath: "\(temporary.path)/latin1.yaml")
    try Data([0x6C, 0x3A, 0x20, 0xE9, 0x0A]).write(to: latin)
    let plan = try builder("-b", "null", "-n", "10").plan()
    let stored = try temporary.write("plan", String(decoding: JSONEncoder().encode(plan), as: UTF8.self))
    // YAML allows braces, so the second one is a plan file and not a run's plan in JSON.
    let braces = try temporary.write("braces", "{records: 5}")
    let rules = try temporary.write("rules.yaml", "rules:\n  - null/save-one/10/shipped p50 < 1ms\n")
    let sources = try [stored, braces, rules].map { try PlanSource(path: $0, catalog: catalog) }
    guard case .run(let read) = sources[0], case .file = sources[1], case .rules(let found) = sources[2] else {
      return #expect(Bool(false), "\(sources)")
    }
    #expect(read == plan && found.map(\.text) == ["null/save-one/10/shipped p50 < 1ms"])
    for (path, sentence) in [
      ("\(temporary.path)/none", "does not exist"), (temporary.path, "is a directory"),
      (try temporary.write("half.json", "{\"schema\": 1, \"ce"), "is damaged"),
      (try temporary.write("other.json", "{\"schema\": 99}"), "has schema version 99"), (latin.path, "is not UTF-8"),
    ] {
      expectUsageError(sentence) { try PlanSource(path: path, catalog: catalog) }
    }
  }
}
