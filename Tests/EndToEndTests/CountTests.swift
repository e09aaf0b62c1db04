import Foundation
import StorageReport
import Testing

extension EndToEnd.Enduring {
  @Suite struct CountTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private static let six = "plist,archive,defaults,sqlite,sqlite-queue,lmdb"

    @Test func theSameSeedGivesTheSameCounts() async throws {
      var runs: [Results] = []
      for name in ["one", "two"] {
        runs.append(
          try await workplace.run(
            "--profile", "counts", "-b", Self.six, "-w", "save-one,import", "-n", "100", "--seed", "7", into: name))
      }
      let columns = ["bytes_written", "bytes_written_settled", "write_calls", "syncs", "file_bytes", "digest"]
      #expect(runs[0].names.count == 12)
      for name in runs[0].names {
        let (one, two) = (try runs[0].row(name), try runs[1].row(name))
        for column in columns {
          #expect(one[column]?.isEmpty == false, "\(column) of \(name)")
          #expect(one[column] == two[column], "\(column) of \(name)")
        }
        #expect(one["status"] == "ok")
      }
      // State and stream are the same on every backend.
      for workload in ["save-one", "import"] {
        let rows = runs[0].rows.filter { $0["workload"] == workload }
        #expect(Set(rows.map { $0["digest"] }).count == 1)
        #expect(Set(rows.map { $0["stream_hash"] }).count == 1)
      }
      // Another seed gives another stream.
      let other = try await workplace.run(
        "--profile", "counts", "-b", "lmdb", "-w", "save-one", "-n", "100", "--seed", "8", into: "other")
      #expect(
        try other.row("lmdb/save-one/100/shipped")["digest"] != runs[0].row("lmdb/save-one/100/shipped")["digest"])
    }

    /// Counts are committed and compared on another machine, whose shell has other variables.
    @Test func theEnvironmentIsNotCounted() async throws {
      var allocations: [[String: Int]] = []
      for variables in [0, 200] {
        let name = "with-\(variables)"
        let environment = Dictionary(
          uniqueKeysWithValues: (0..<variables).map { ("VARIABLE_\($0)", "a value that is too long to be inline") })
        let rows = try await workplace.run(
          ["--profile", "counts", "-b", Self.six, "-w", "load-all,launch-warm"], into: name, environment: environment
        ).rows
        allocations.append(
          try Dictionary(uniqueKeysWithValues: rows.map { (Results.name($0), try $0.number("allocations")) }))
      }
      #expect(allocations[0].count == 12)
      for (name, count) in allocations[0] {
        // The tolerance of `check`, and the few by which hash tables always differ.
        let other = try #require(allocations[1][name])
        #expect(abs(other - count) <= max(10, count / 100), "\(name): \(count) and \(other)")
      }
    }

    @Test func theKernelSawNoMoreThanWasCounted() async throws {
      let results = try await workplace.run("--profile", "counts", "-b", Tried.list, "-n", "100", into: "all")
      let counted = results.trials.filter { $0.pass == .cost }
      // Every workload on every backend, except launches of the two floors, which keep no store.
      #expect(counted.count >= 100)
      for trial in counted {
        let name = trial.cell.name
        let cost = try #require(trial.cost, "\(name): \(trial.note ?? "")")
        #expect(trial.note == nil, "\(name)")
        #expect(cost.seenBytesWritten == cost.processBytesWritten, "\(name)")
        #expect(cost.seenWriteCalls == cost.processWriteCalls, "\(name)")
        let (store, other) = (try #require(cost.bytesWrittenSettled), try #require(cost.otherBytesWritten))
        #expect(store + other == cost.processBytesWritten, "\(name)")
      }
      // Much was written to the stores, and hardly anything elsewhere.
      #expect(counted.reduce(0) { $0 + ($1.cost?.bytesWrittenSettled ?? 0) } > 1_000_000)
      #expect(results.rows.allSatisfy { $0["status"] == "ok" || $0["status"] == "n/a" })
      // The digest depends on the workload, not on the backend.
      for (workload, rows) in Dictionary(grouping: results.rows, by: { $0["workload"]! + "/" + $0["records"]! }) {
        let digests = Set(rows.filter { $0["backend"] != "null" }.compactMap { $0["digest"] }.filter { !$0.isEmpty })
        #expect(digests.count == 1, "\(workload)")
      }
      #expect(results.rows.filter { $0["backend"] == "null" }.allSatisfy { $0["digest"] == "" })
    }

    @Test func whatASaveWritesAsTheStoreGrows() async throws {
      let sizes = [100, 1_000, 10_000]
      let results = try await workplace.run(
        "--profile", "counts", "-b", "plist,archive,defaults,sqlite,lmdb", "-w", "save-one", "-n", "100,1k,10k",
        into: "growth")
      func bytesPerSave(_ backend: String, _ records: Int) throws -> Double {
        let row = try results.row("\(backend)/save-one/\(records)/shipped")
        return Double(try row.number("bytes_written_settled")) / Double(try row.number("counted_operations"))
      }
      /// Returns the slope of the least-squares line through the logarithms.
      func slope(_ backend: String) throws -> Double {
        let points = try sizes.map { (x: log(Double($0)), y: log(try bytesPerSave(backend, $0))) }
        let (x, y) = (points.reduce(0) { $0 + $1.x } / 3, points.reduce(0) { $0 + $1.y } / 3)
        return points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) } / points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
      }
      let report = try String(contentsOfFile: "\(results.path)/report.md", encoding: .utf8)
      /// Whether the report's table of growth has the slope. The table writes -0.001 without its sign.
      func isSaid(_ backend: String, _ slope: Double) -> Bool {
        let text = String(format: "%.2f", abs(slope) < 0.005 ? 0 : slope)
        return report.split(separator: "\n").contains { line in
          line.hasPrefix("| \(backend) | save-one | shipped | ") && line.contains(", slope \(text) | ")
        }
      }
      let names = [
        "plist": "Property list (Linux)", "archive": "NSKeyedArchiver (Linux)", "defaults": "UserDefaults (Linux)",
        "sqlite": "SQLite", "lmdb": "LMDB",
      ]
      for backend in ["plist", "archive", "defaults"] {
        for records in sizes {
          let file = Double(try results.row("\(backend)/save-one/\(records)/shipped").number("file_bytes"))
          #expect(abs(try bytesPerSave(backend, records) / file - 1) < 0.01, "\(backend) at \(records)")
        }
        let slope = try slope(backend)
        #expect((0.95...1.10).contains(slope), "\(backend): \(slope)")
        #expect(isSaid(names[backend] ?? backend, slope))
        #expect(report.contains("10 times the records cost about 10 times the bytes"))
      }
      for backend in ["sqlite", "lmdb"] {
        let slope = try slope(backend)
        #expect(slope < 0.15, "\(backend): \(slope)")
        #expect(slope > -0.15, "\(backend): \(slope)")
        #expect(isSaid(names[backend] ?? backend, slope))
      }
    }
  }
}
