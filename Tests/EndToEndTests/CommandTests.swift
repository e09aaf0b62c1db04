import Foundation
import StorageBackends
import StorageContract
import Testing

extension EndToEnd.Measuring {
  @Suite struct CommandTests {
    private let workplace = Workplace()

    @Test func aDryRunMakesNothing() async throws {
      let finished = try await workplace.bench("run --dry-run -b sqlite,plist -n 10,20 --rounds 3")
      #expect(workplace.names.isEmpty)
      let lines = finished.output.split(separator: "\n")
      #expect(
        lines.prefix(4).map { $0.split(separator: " ")[0] } == [
          "sqlite/save-one/10/shipped", "plist/save-one/10/shipped", "sqlite/save-one/20/shipped",
          "plist/save-one/20/shipped",
        ])
      #expect(lines.last?.hasPrefix("4 cells, 16 trials, about ") == true)
    }

    @Test func keptStoresCanBeOpened() async throws {
      let results = try await workplace.run(
        "--profile counts -b plist,archive,defaults,sqlite,sqlite-queue,object-graph,object-graph:store=xml,lmdb",
        "-w save-one,delete-one -n 100 --keep-stores", into: "kept")
      let stores = "\(results.path)/stores"
      #expect(
        try workplace.names(in: "kept/stores") == [
          "archive", "defaults", "lmdb", "object-graph", "object-graph:store=xml", "plist", "sqlite", "sqlite-queue",
        ])
      for engine in ["sqlite", "sqlite-queue"] {
        let sql = "PRAGMA integrity_check; SELECT count(*) FROM records"
        #expect(try await tool("sqlite3", "\(stores)/\(engine)/delete-one/100/shipped/store.sqlite", sql) == "ok\n50\n")
      }
      for backend in Backends.all where ["plist", "archive", "object-graph", "lmdb"].contains(backend.description.id) {
        let directory = "\(stores)/\(backend.description.id)/delete-one/100/shipped"
        let store = try backend.init(opening: StoreEnvironment(directory: directory))
        // Whole-file engines delete fewer records in their cost pass: eight, and at most half of the records.
        #expect(try store.count(in: .records) == (backend.description.kind(Options()) == .wholeFile ? 92 : 50))
        try store.close()
      }
      let defaults = try Data(
        contentsOf: URL(fileURLWithPath: "\(stores)/defaults/delete-one/100/shipped/storage-bench.plist"))
      let keys = try PropertyListSerialization.propertyList(from: defaults, format: nil) as? [String: Any]
      #expect(keys?.count == 92)
      try await otherToolsFindEveryRecord("\(stores)/", "/save-one/100/shipped")
      let report = try workplace.text("kept/report.md")
      // The limitations of a backend are in the report, too.
      #expect(report.contains("Known limitations"))
      #expect(report.contains("The number -0 comes back as 0"))
    }

    /// Runs a program of others, which must succeed, and returns its output.
    private func tool(_ words: String...) async throws -> String {
      let finished = try await Program(URL(fileURLWithPath: "/usr/bin/env"), words, in: workplace).finish(exits: 0)
      return finished.output
    }

    /// Expects records 1 to 100 in the stores, as read by other tools.
    private func otherToolsFindEveryRecord(_ stores: String, _ end: String) async throws {
      let script = """
        import plistlib, sys
        def load(path):
            with open(path, 'rb') as file: return plistlib.load(file)
        stores, end = sys.argv[1:]
        wanted = set(range(1, 101))
        records = load(stores + 'plist' + end + '/store.plist')['records']
        assert {record['id'] for record in records} == wanted, 'plist'
        assert all(len(record['payload']) == 100 and record['name'] for record in records), 'plist'
        objects = load(stores + 'archive' + end + '/store.archive')['$objects']
        archived = [object for object in objects if isinstance(object, dict) and 'id' in object]
        assert {record['id'] for record in archived} == wanted, 'archive'
        assert all(len(objects[record['payload'].data]) == 100 for record in archived), 'archive'
        defaults = load(stores + 'defaults' + end + '/storage-bench.plist')
        assert set(defaults) == {'records.%d' % key for key in wanted}, 'defaults'
        assert all(len(value) > 124 for value in defaults.values()), 'defaults'
        tables = load(stores + 'object-graph:store=xml' + end + '/store.xml')['tables']
        columns = [table['columns'] for table in tables if table['entity'] == 'Records'][0]
        ids, names, payloads = columns[0]['integers'], columns[1]['texts'], columns[5]['bytes']
        assert set(ids) == wanted and len(names) == 100, 'xml'
        assert [len(payload) for payload in payloads] == [100] * 100, 'xml'
        """
      _ = try await tool("python3", "-c", script, stores, end)
      for file in [
        "plist\(end)/store.plist", "archive\(end)/store.archive", "defaults\(end)/storage-bench.plist",
        "object-graph:store=xml\(end)/store.xml",
      ] {
        _ = try await tool("plutil", "-lint", stores + file)
      }
      // The tables of the object graph have the names that Core Data gives.
      for (engine, table, z) in [
        ("sqlite", "records", ""), ("sqlite-queue", "records", ""), ("object-graph", "ZRECORDS", "Z"),
      ] {
        let sql = """
          PRAGMA integrity_check; \
          SELECT group_concat(\(z)id), sum(length(\(z)payload)) FROM (SELECT * FROM \(table) ORDER BY \(z)id)
          """
        let told = try await tool("sqlite3", "\(stores)\(engine)\(end)/store.sqlite", sql)
        #expect(told == "ok\n\((1...100).map(String.init).joined(separator: ","))|10000\n")
      }
      let dump = try await tool("mdb_dump", "\(stores)lmdb\(end)")
      let lines = dump.split(separator: "\n").drop { $0 != "HEADER=END" }.dropFirst().dropLast()
      // Every other line is a key of 8 bytes, the least significant one first, with the sign inverted.
      let keys = lines.enumerated().filter { $0.offset % 2 == 0 }.compactMap { _, line in
        UInt64(line.dropFirst(), radix: 16).map { Int64(bitPattern: $0.byteSwapped ^ (1 << 63)) }
      }
      #expect(keys == (1...100).map(Int64.init))
    }

    @Test func theBackendsSayWhatTheyAreWorth() async throws {
      let finished = try await workplace.bench("list backends --json")
      let list = try #require(try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [[String: Any]])
      let text = try await workplace.bench("list backends").output
      #expect(list.map { $0["id"] as? String } == Backends.all.map { $0.description.id })
      for (entry, backend) in zip(list, Backends.all) {
        let description = backend.description
        let missing = description.missing()
        #expect(entry["engine"] as? String == (missing == nil ? description.engineVersion() : nil))
        #expect(entry["missing"] as? String == missing)
        let state = missing.map { "\n    n/a: \($0)\n" } ?? "  [\(description.engineVersion())]\n"
        #expect(text.contains("\(description.id): \(description.summary)\(state)"))
        #expect((entry["levels"] as? [String: String])?.count == Durability.allCases.count)
        let safety = description.safety(for: Options())
        #expect(entry["safety"] as? String == safety)
        #expect(text.contains("    safety: \(safety)\n"))
        let options = try #require(entry["options"] as? [[String: Any]])
        #expect(options.map { $0["name"] as? String } == description.options.map(\.name))
        for spec in description.options { #expect(text.contains("    :\(spec.name)=")) }
        let exceptions = try #require(entry["deviations"] as? [[String: String]])
        #expect(
          description.deviations(Options()).allSatisfy { deviation in
            exceptions.contains { $0["sentence"] == deviation.sentence && $0["options"] == "" }
          })
      }
      #expect(text.contains("    except with writemap=yes: A full disk ends the process by SIGBUS"))
      #expect(text.contains("    except with format=xml:coder=serialization: The number -0 comes back as 0"))
      let unconfirmed = "a run cannot confirm its levels"
      #expect(text.contains("\(unconfirmed) with writemap=yes: it writes through a memory mapping"))
      #expect(text.contains("\(unconfirmed): another process writes for it, whose calls are not seen"))
      // The three are LMDB, libmdbx and the keychain.
      #expect(text.components(separatedBy: unconfirmed).count == 4)
    }

    @Test(arguments: [
      ("engines", "sqlite:library=sqlite3mc"), ("workloads", "save-one"), ("profiles", "quick"),
    ])
    func listsAreJSON(what: String, expected: String) async throws {
      let finished = try await workplace.bench("list", what, "--json")
      let list = try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [[String: Any]]
      let ids = (list ?? []).compactMap { $0["id"] as? String }
      #expect(ids.count == list?.count)
      #expect(ids.contains(expected))
      let text = try await workplace.bench("list", what)
      for id in ids { #expect(text.output.contains(id)) }
    }

    @Test func aReportIsMadeAgain() async throws {
      let results = try await workplace.run(
        "-b lmdb,memory -w save-one,read-one -n 30 --rounds 2 --trial-time 5ms", into: "run")
      let names = ["summary.csv", "trials.csv", "report.md", "report.html"]
      func contents(_ directory: String) -> [Data?] {
        names.map { FileManager.default.contents(atPath: "\(directory)/\($0)") }
      }
      let before = contents(results.path)
      #expect(before.allSatisfy { $0?.isEmpty == false })
      for name in names { try FileManager.default.removeItem(atPath: "\(results.path)/\(name)") }
      try await workplace.bench("report run")
      #expect(contents(results.path) == before)
      try await workplace.bench("report run -o elsewhere -f csv")
      #expect(FileManager.default.contents(atPath: "\(workplace.path)/elsewhere/summary.csv") == before[0])
      #expect(!FileManager.default.fileExists(atPath: "\(workplace.path)/elsewhere/report.html"))
    }

    /// The committed run, which has recommendations.
    private static let example = Program.root.appendingPathComponent("results/example").path

    @Test func everyFormatIsWrittenOnRequest() async throws {
      let formats = "csv,markdown,html,svg,json,junit,benchstat,bencher,github-summary,github-annotations"
      let finished = try await workplace.bench(["report", Self.example, "-o", "all", "-f", formats])
      for name in [
        "summary.csv", "trials.csv", "report.md", "report.html", "charts/save-one-shipped-time.svg", "report.json",
        "junit.xml", "benchstat.txt", "bencher.json", "github-summary.md",
      ] { #expect(FileManager.default.contents(atPath: "\(workplace.path)/all/\(name)")?.isEmpty == false, "\(name)") }
      // Workflow commands go to standard output, where GitHub reads them.
      #expect(finished.output.contains("\n::notice title=storage-bench::"))
      let lacking = try await workplace.bench(
        ["report", Self.example, "-o", "all", "-f", "png"], environment: ["PATH": workplace.path], exits: 74)
      #expect(lacking.complaints.count == 1)
      #expect(lacking.errors.contains("rsvg-convert is missing; install librsvg2-bin, or leave out the format png"))
      #expect(!FileManager.default.fileExists(atPath: "\(workplace.path)/all/github-annotations.txt"))
    }

    @Test func theStepSummaryGrowsWhereThereIsOne() async throws {
      _ = try await workplace.run("-b memory -n 10 --once", into: "run")
      let file = URL(fileURLWithPath: "\(workplace.path)/run/environment.json")
      var recorded = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
      recorded["warnings"] = ["This is planted: a warning."]
      try JSONSerialization.data(withJSONObject: recorded).write(to: file)
      let summary = "\(workplace.path)/step.md"
      try workplace.write("step.md", "before\n")
      let environment = ["GITHUB_STEP_SUMMARY": summary, "GITHUB_ACTIONS": "true"]
      let finished = try await workplace.bench(["report", "run", "-f", "csv"], environment: environment)
      #expect(finished.output.contains("::warning title=storage-bench::This is planted"))
      #expect(try workplace.text("step.md").hasPrefix("before\n# storage-bench: run\n"))
      let lost = ["GITHUB_STEP_SUMMARY": "\(workplace.path)/not/there.md"]
      let refused = try await workplace.bench(["report", "run", "-f", "csv"], environment: lost, exits: 74)
      #expect(
        refused.errors.contains("not/there.md: No such file or directory; check GITHUB_STEP_SUMMARY, which names it"))
    }

    @Test func runsOfOnePlanArePooled() async throws {
      for (name, seed) in [("one", "1"), ("two", "2"), ("three", "3")] {
        _ = try await workplace.run(
          "-b sqlite,lmdb -w save-one -n 20 --rounds 3 --trial-time 1ms --seed", seed, into: name)
      }
      try await workplace.bench("report one two three -o all -f markdown,csv")
      let differed = "Medians of 3 runs (one, two and three) differed by "
      #expect(try workplace.text("all/report.md").contains(differed))
      // The reports of the single runs are unchanged.
      #expect(try !workplace.text("one/report.md").contains("Medians of 3"))
      let trials = try Results.trials("\(workplace.path)/one")
      let hashes = trials.map { (round: $0.round ?? 0, hash: $0.streamHash ?? "") }
      // Backends share the stream of a round. Counts use that of the first round.
      #expect(Set(hashes.map(\.hash)).count == 3)
      for round in 1...3 { #expect(Set(hashes.filter { $0.round == round }.map(\.hash)).count == 1) }
      #expect(Set(hashes.filter { $0.round <= 1 }.map(\.hash)).count == 1)
      _ = try await workplace.run("-b sqlite,lmdb -w save-one -n 20 --rounds 2 --trial-time 1ms", into: "other")
      for (others, words) in [
        ("one other", "one and other cannot be pooled: the rounds is 3 in one and 2 in the other"),
        ("one one", "one and one are the same run; name each run once"),
      ] {
        try await workplace.expectRefused("report \(others)".words, words)
      }
    }

    @Test func adviceSaysWhatItRestsOn() async throws {
      let finished = try await workplace.bench(["advise", Self.example] + "--records 3000 --reads-per-save 5".words)
      #expect(finished.output.contains("\nFor 3,000 records, 5 reads for each save:\n"))
      #expect(finished.output.contains("\nTake SQLite (durable): "), "\(finished.output)")
      #expect(finished.output.hasPrefix("Saves (save-one): interpolated between 1,000 and 10,000 records.\n"))
      let measured = try await workplace.bench(
        ["advise", Self.example]
          + "--records 100 --reads-per-save 0.5 --durability durable --launch-budget 50ms".words)
      for sentence in [
        "Saves (save-one): measured at this size.", "SQLite and GRDB: at most intact (may lose the last save).",
        "Launches were not measured at 100 records.",
      ] { #expect(measured.output.unwrapped.contains(sentence), "\(measured.output)") }
    }

    @Test func whatWasNotMeasuredIsNotAdvisedOn() async throws {
      _ = try await workplace.run(
        "-b sqlite,lmdb -w save-one,read-one -n 10,40 --rounds 6 --trial-time 2ms", into: "run")
      try workplace.forgetInterference(in: "run")
      let command = "storage-bench run -b sqlite,lmdb -w save-one,read-one,launch-warm:until=screen -n"
      try await workplace.expectRefused(
        "advise run --records 401 --reads-per-save 5".words,
        "nothing was measured at 401 records, only from 10 to 40; add --measure, which runs: \(command) 401 ")
      try await workplace.expectRefused(
        "advise run --records 30 --reads-per-save 5 --record-bytes 10000".words, "\(command) 30 --record-bytes 10000 ")
      try await workplace.expectRefused(
        "advise runn --records 401 --reads-per-save 5 --measure".words, "runn does not exist")
      let measured = try await workplace.bench(
        "advise run --records 401 --reads-per-save 5 --durability shipped --measure")
      #expect(
        measured.output.contains("\nFor 401 records, 5 reads for each save, every library as it ships:\n"),
        "\(measured.output)")
      let run = try #require(workplace.names(in: "results").first { $0.hasSuffix("-advice") })
      try workplace.forgetInterference(in: "results/\(run)")
      let again = try await workplace.bench(
        "advise results/\(run) --records 401 --reads-per-save 5 --durability shipped")
      #expect(again.output.contains("\nTake "), "\(again.output)")
      #expect(again.output.contains("Saves (save-one): measured at this size.\n"), "\(again.output)")
    }

    @Test func aQuietRunIsFoundAgainAsTheLatest() async throws {
      let finished = try await workplace.bench("run --allow-debug -q --once -b memory -n 10")
      #expect(finished.errors.isEmpty)
      #expect(workplace.names == ["results"])
      let run = try #require(workplace.names(in: "results").first)
      #expect(
        finished.output.replacing("results/\(run)", with: "run")
          == "Report: run/report.html\nData: run/summary.csv\nTrials: run/trials.csv\nMarkdown: run/report.md\n")
      let report = try await workplace.bench("report")
      #expect(report.output.contains("results/latest/summary.csv"))
    }

    @Test func theDoctorIsContent() async throws {
      let finished = try await workplace.bench("doctor --scratch not/there/yet")
      #expect(finished.output.contains("bytes, calls and syncs are counted, and the kernel agrees"))
      #expect(!finished.output.contains("missing"))
      // One of the two, because other tests run at the same time.
      #expect(finished.output.contains("the processors are free") != finished.output.contains("other programs use the"))
      #expect(workplace.names.isEmpty)
    }

    @Test(arguments: [["--help"], ["run", "--help"], ["--version"]])
    func helpAndVersionAreNoErrors(arguments: [String]) async throws {
      let finished = try await workplace.start(arguments).finish()
      #expect(finished.status == 0 && !finished.output.isEmpty && finished.errors.isEmpty)
    }

    @Test func aDatasetRunsOnEveryBackend() async throws {
      try workplace.write(
        "towns.csv", "code,name,kind\n" + (1...120).map { "C\($0),\"Tówn, \($0)\",x\n" }.joined())
      let finished = try await workplace.bench(
        "run --allow-debug --once -b", Tried.list, "-w save-one,import,read-one --dataset towns.csv -o run")
      #expect(
        finished.errors.contains(
          "data set towns.csv: 120 records; id <- the row's number, name <- name, group <- none, score <- none, "
            + "modified <- none; 2 columns in the payload: code, kind\n"))
      let results = try Results("\(workplace.path)/run")
      #expect(
        results.rows.allSatisfy { $0["status"] == "ok" && $0["records"] == "120" && $0["dataset"]?.isEmpty == false })
    }

    /// Every command that reads records asks about their columns, and accepts the answer.
    @Test func aMapHoldsInEveryCommand() async throws {
      try workplace.write("d.csv", "title,score\n" + (1...20).map { "t\($0),\($0)\n" }.joined())
      func expect(_ status: [Int32], _ command: String, _ part: String = "") async throws {
        let finished = try await workplace.start(command.words).finish()
        #expect(status.contains(finished.status), "\(command): \(finished.errors)")
        #expect(part.isEmpty || finished.errors.contains(part), "\(command): \(finished.errors)")
      }
      let (cells, map) = ("-w find-name --dataset d.csv", "--map name=title")
      let paired =
        "paired --allow-debug --base-backend memory -b lmdb --rounds 6 --trial-time 1ms --unjudged warn -o pairs"
      try await expect([64], "\(paired) \(cells)", "add --map 'name=title'")
      try await expect([0, 2], "\(paired) \(cells) \(map)")
      try await expect([0], "check c.csv --update -b sqlite \(cells) \(map)")
      try await expect([0], "check c.csv --dataset d.csv \(map)")
      try await expect([64], "check c.csv --dataset d.csv", "add --map 'name=title'")
      try await expect([64], "check c.csv --dataset d.csv --map name=", "with another data set")
      // A resumed run needs neither the answer nor the records again.
      try await expect([0], "run --allow-debug -q --once -b sqlite,lmdb -o run \(cells) \(map)")
      let journal = URL(fileURLWithPath: "\(workplace.path)/run/trials.jsonl")
      let lines = try Data(contentsOf: journal).split(separator: 0x0A)
      try Data(lines.dropLast().flatMap { $0 + [0x0A] }).write(to: journal)
      let resume = "run --allow-debug -q --resume run"
      try await expect([0], resume)
      #expect(try Data(contentsOf: journal).split(separator: 0x0A).count == lines.count)
      try Data(lines.dropLast().flatMap { $0 + [0x0A] }).write(to: journal)
      try workplace.write("d.csv", "title,score\na,1\n")
      try await expect([64], resume, "d.csv has changed since the run")
      try FileManager.default.removeItem(atPath: "\(workplace.path)/d.csv")
      try await expect([64], resume, "put it back, or begin a new run")
    }

    /// Sums that are not numbers, and values that Foundation merges, crash no process and fail no cell.
    @Test func valuesAtTheirLimitsFailNoCell() async throws {
      try workplace.write(
        "d.csv",
        """
        name,group,score
        é,a,1.7976931348623157e308
        e\u{301},a,1.7976931348623157e308
        é,b,-1.7976931348623157e308
        x,b,-1.7976931348623157e308
        y,c,-0.0
        z,c,5e-324

        """)
      let results = try await workplace.run(
        "--once -b", Tried.list + ",sqlite-queue:decode=codable,sqlite-queue:pool=yes",
        "-w aggregate,aggregate:where=app,find-range,find-name --dataset d.csv", into: "run")
      #expect(results.rows.allSatisfy { $0["status"] == "ok" })
    }
  }
}
