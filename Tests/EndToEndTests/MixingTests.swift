import Foundation
import StorageBackends
import StorageContract
import StorageReport
import Testing

extension EndToEnd.Measuring {
  @Suite struct MixingTests {
    private let workplace = Workplace()

    private static let own = "mix:read=20:update=20:insert=20:scan=20:rmw=20:dist=latest"
    private static let published = ["a", "b", "c", "d", "e", "f"].map { "mix:ycsb=\($0)" }

    @Test func everyBackendHoldsWhatEveryMixLeaves() async throws {
      let workloads = [Self.own, "mix", "paced-save"] + Self.published
      let results = try await workplace.agree(on: workloads, "--profile counts -n 60")
      #expect(results.rows.filter { $0["note"] != "" }.map(Results.name) == [])
      // The records of YCSB differ from those of a custom mix, and so does the end state.
      #expect(try results.row("lmdb/mix:ycsb=a/60/shipped")["digest"] != results.row("lmdb/mix/60/shipped")["digest"])
      // A page engine counts the same number of operations as for saves. Mixes that only read write nothing.
      #expect(try results.row("lmdb/paced-save/60/shipped").number("counted_operations") == 2_000)
      let reads = try results.row("sqlite/mix:ycsb=c/60/-")
      #expect(try reads.number("counted_operations") == 2_000)
      #expect(reads["bytes_changed"] == "")
      #expect(reads["level"] == "")
      #expect(try reads.number("write_calls") == 0)
      #expect(try results.row("sqlite/mix:ycsb=f/60/shipped").number("syncs") > 3_000)
    }

    @Test func aMixIsReportedInTermsOfYCSB() async throws {
      let finished = try await workplace.bench(
        "run -v --allow-debug --profile ycsb -n 300 --record-bytes 200 --rounds 2 --trial-time 60ms --allow-ram-disk",
        "-o run")
      let results = try Results("\(workplace.path)/run")
      #expect(results.rows.count == 12)
      #expect(results.names.contains("lmdb/mix:ycsb=e/300/durable"))
      let report = try workplace.text("run/report.md")
      let kinds = [
        "a": ["read", "update"], "b": ["read", "update"], "c": ["read"], "d": ["read", "insert"],
        "e": ["insert", "scan"], "f": ["read", "rmw"],
      ]
      for row in results.rows {
        #expect(row["status"] == "ok", "\(row["note"] ?? "")")
        let name = String(row["workload"]!.last!)
        for kind in ["read", "update", "insert", "scan", "rmw"] {
          let isThere = kinds[name]!.contains(kind)
          #expect(row["\(kind)_operations"]?.isEmpty == !isThere, "\(kind) of \(name)")
          #expect(row["\(kind)_p50_ns"]?.isEmpty == !isThere, "\(kind) of \(name)")
        }
        #expect(row["ops_per_s"] != "")
        // The bytes of the number, of the key's text and of the payload.
        #expect(try row.number("stored_bytes") >= 300 * (24 + 4 + 200))
      }
      for text in [finished.output.unwrapped, report] {
        for term in ["Throughput(ops/sec)", "READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"] {
          #expect(text.contains(term), "\(term)")
        }
      }
      #expect(report.contains("50thPercentileLatency"))
    }

    @Test func countsAreNotTakenOnSchedule() async throws {
      // At one operation a second, the two thousand saves of a cost pass would take half an hour.
      let results = try await workplace.run(
        "-b lmdb -w save-one -n 20 --rate 20 --rounds 1 --trial-time 10ms --cell-limit 60s", into: "run")
      #expect(try results.row("lmdb/save-one/20/shipped").number("counted_operations") == 2_000)
      #expect(results.trials.first { $0.pass == .timed }?.timing?.rate == 20)
    }

    @Test func savesAtTheScreensPace() async throws {
      let results = try await workplace.run(
        "-b lmdb,plist -w paced-save -n 20 --rounds 1 --trial-time 10ms", into: "run")
      for backend in ["lmdb", "plist"] {
        let row = try results.row("\(backend)/paced-save/20/shipped")
        #expect(try row.number("operations") == 30)
        #expect(try (0...30).contains(row.number("over_16_7ms")))
        #expect(try row.number("over_16_7ms") <= row.number("over_8_3ms"))
      }
      let report = try workplace.text("run/report.md")
      #expect(report.contains("over 16.7 ms"))
      #expect(report.contains("over 8.3 ms"))
    }
  }
}
