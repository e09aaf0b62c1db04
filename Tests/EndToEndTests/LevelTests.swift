import Foundation
import StorageBackends
import StorageReport
import Testing

/// The level of a backend is confirmed by the observed calls of its saves.
extension EndToEnd.Enduring {
  @Suite struct LevelTests {
    private let workplace = Workplace()

    private static let unsynced =
      "durable is promised, but 8 of 8 saves were acknowledged before a file that they had written was synced"

    /// The notes of rows that promise too much.
    private static let sentences = [
      "never-syncs": unsynced,
      "syncs-another": "\(unsynced); 8 had synced another file, or before their last write",
      "renames-unsynced": "intact is promised, but 8 of 8 files were renamed before their data was synced",
      "forgets-directory": "durable is promised, but 8 of 8 saves were acknowledged before the directory was "
        + "synced in which they had renamed or removed a file",
    ]

    @Test func liarsFailInEveryRun() async throws {
      for mode in [["--profile", "counts"], ["--once"], ["--rounds", "1", "--trial-time", "1ms"]] {
        let name = mode[0]
        let backends = (Self.sentences.keys.sorted() + ["honest", "plist"]).joined(separator: ",")
        let results = try await workplace.run(
          ["-w", "save-one", "-n", "100", "-b", backends] + mode, into: "run\(name)", program: "MisbehavingBench",
          exits: 1)
        #expect(results.rows.count == 6)
        for row in results.rows {
          let backend = try #require(row["backend"])
          guard let sentence = Self.sentences[backend] else {
            #expect(row["status"] == "ok", "\(name), \(backend): \(row["note"] ?? "")")
            continue
          }
          #expect(row["status"] == "failed", "\(name), \(backend)")
          #expect(row["note"] == sentence, "\(name), \(backend)")
          for column in ["p50_ns", "ops_per_s", "syncs"] { #expect(row[column] == "", "\(name), \(backend)") }
        }
      }
    }

    @Test func liarsFailTheCheckOfCounts() async throws {
      try await workplace.bench("check c.csv --update -b honest -w save-one -n 100", program: "MisbehavingBench")
      let honest = try workplace.text("c.csv")
      for (backend, sentence) in Self.sentences {
        // The counts are those of an honest backend.
        try workplace.write("\(backend).csv", honest.replacing("honest", with: backend))
        let checked = try await workplace.bench("check \(backend).csv", program: "MisbehavingBench", exits: 1)
        #expect(checked.output.unwrapped.contains(sentence), "\(backend): \(checked.output)")
        let updated = try await workplace.bench(
          "check new.csv --update -b", backend, "-w save-one -n 100", program: "MisbehavingBench", exits: 1)
        #expect(updated.errors.contains(sentence), "\(backend): \(updated.errors)")
      }
    }

    /// One workload of each kind of saving: by one commit, by several, by transactions of which some fail, with
    /// reopening.
    private static let saving =
      "save-one,insert-one,import:batch=7,mix:ycsb=f,transfer,app-log,rollback,cascade:rule=deny,relations,"
      + "four-lines:commits=each,country-crud,value-size:place=beside,reclaim,migrate,readers-writer"

    @Test(arguments: [
      "plist,archive,defaults,sqlite,sqlite:journal=delete,sqlite:journal=wal,sqlite:as=apple",
      "sqlite-queue,sqlite-queue:journal=delete,sqlite-queue:pool=yes,lmdb,lmdb:sync=nometasync,lmdb:writemap=yes",
      "object-graph,object-graph:store=binary,object-graph:store=xml,memory",
    ])
    func honestBackendsPass(_ backends: String) async throws {
      let results = try await workplace.run(
        "--once -w", Self.saving, "-n 20 --durability intact,durable -b", backends, into: "all")
      let saving = results.rows.filter { $0["durability"]?.isEmpty == false && $0["status"] == "ok" }
      // 15 workloads at two levels, of at least three backends.
      #expect(saving.count >= 90)
      #expect(results.rows.allSatisfy { $0["status"] == "ok" || $0["status"] == "n/a" })
      // The note for unobservable writes is on the rows with them, and on no others.
      for row in saving where row["level"] == "intact" || row["level"] == "durable" {
        let isMapped = row["options"]?.contains("writemap=yes") == true
        let note =
          "\(row["level"]!) is promised and not confirmed: it writes through a memory mapping, where no write is seen"
        #expect(row["note"]?.contains(note) == isMapped, "\(Results.name(row)): \(row["note"] ?? "")")
      }
    }

    /// Counts that do not repeat are compared with a tolerance, which is reported.
    @Test func countsThatVary() async throws {
      func bench(_ command: String) async throws -> Finished {
        try await workplace.start(command.words, program: "MisbehavingBench").finish()
      }
      let made = try await bench("check c.csv --update -b varies,varies-silently -w save-one -n 100")
      try #require(made.status == 0, "\(made.errors)")
      let checked = try await bench("check c.csv -b varies")
      #expect(checked.status == 0, "\(checked.output)")
      let note = "varies says that its counts do not repeat exactly: up to 10 % more or less counts as the same."
      #expect(checked.output.unwrapped.contains(note), "\(checked.output)")
      // A tolerance on the command line replaces the default one.
      let strict = try await bench("check c.csv -b varies --max-increase bytes=0")
      let silent = try await bench("check c.csv -b varies-silently")
      for other in [strict, silent] { #expect(other.status == 2 || other.output.contains("ower than committed")) }

      let before = try workplace.text("c.csv")
      let updated = try await bench("check c.csv --update -b varies -w save-one -n 100")
      #expect(updated.output.contains("all as before"), "\(updated.output)")
      #expect(try workplace.text("c.csv") == before)
      // A higher count than the tolerance allows is a regression.
      let line = try #require(before.split(separator: "\n").first { $0.contains(",varies,") })
      let bytes = try #require(line.firstMatch(of: /bytes=([0-9]+)/).flatMap { Int($0.1) })
      try workplace.write("low.csv", before.replacing("bytes=\(bytes)", with: "bytes=\(bytes * 8 / 10)"))
      #expect(try await bench("check low.csv -b varies").status == 2)

      for name in ["one", "two"] {
        _ = try await bench("run --allow-debug -q --profile counts -b varies -w save-one -n 100 -o \(name)")
      }
      let compared = try await bench("compare one two")
      #expect(compared.status == 0, "\(compared.output)")
      #expect(compared.output.unwrapped.contains(note), "\(compared.output)")

      let listed = try await bench("list backends")
      #expect(
        listed.output.contains(
          "its counts do not repeat exactly: 'check' and 'compare' ignore differences of up to 10 %"))
      // The backend of this program, and those of the suite.
      let varying = 1 + Backends.all.filter { !$0.description.isDeterministic }.count
      #expect(listed.output.components(separatedBy: "do not repeat exactly").count == varying + 1)
      let json = try await bench("list backends --json")
      #expect(json.output.components(separatedBy: "\"deterministic\" : false").count == varying + 1)
    }
  }
}
