import Foundation
import StorageContract
import Testing

@testable import StorageBench

extension EndToEnd.Enduring {
  @Suite(
    .enabled(
      if: MemoryGroups.obstacle == nil && !Linux.isRAMDisk(NSTemporaryDirectory()),
      Comment(rawValue: MemoryGroups.obstacle ?? "temporary files are in memory, which a store could not leave")))
  struct LittleMemoryTests {
    private let workplace = Workplace()

    /// Returns the directories of all control groups, including those of other programs.
    private static func groups() throws -> Set<String> {
      let root = try MemoryGroups().root
      return Set(
        (FileManager.default.subpaths(atPath: root) ?? []).filter {
          ($0 as NSString).lastPathComponent.hasPrefix(MemoryGroups.prefix)
        })
    }

    /// 36 MB in 16 MiB. Read calls cause no page faults, and a map without read-ahead reads a page for each fault. A
    /// process that must load everything is killed, which is a result.
    @Test func aStoreThatIsLargerThanTheMemory() async throws {
      let results = try await workplace.run(
        "-b sqlite,lmdb:readahead=no,plist -w read-one -n 60000 --record-bytes 500 --rounds 1 --trial-time 20ms",
        "--memory 16MiB", into: "run")
      func finding(_ backend: String, _ name: String) throws -> Double {
        let row = try #require(results.rows.first { $0["backend"] == backend })
        #expect(row["status"] == "ok", "\(row["note"] ?? "")")
        return try #require(row.finding(name))
      }
      for backend in ["sqlite", "lmdb"] {
        #expect(try finding(backend, "store_over_memory") > 2)
        #expect(try finding(backend, "suite_bytes") < 12_000_000)
        // More than half of the pages cannot be in memory.
        #expect(try finding(backend, "disk_bytes_per_op") > 1_000)
      }
      #expect(try finding("sqlite", "major_faults_per_op") < 0.05)
      let pages = try finding("lmdb", "major_faults_per_op") * 4_096
      #expect(abs(try finding("lmdb", "disk_bytes_per_op") / pages - 1) < 0.1)
      let plist = try #require(results.rows.first { $0["backend"] == "plist" })
      #expect(plist["status"] == "n/a")
      #expect(plist["note"] == "plist cannot open 60,000 records in 16MiB")
      #expect(try Self.groups().isEmpty)
    }

    @Test func aGroupThatWasLeftIsRemoved() async throws {
      let arguments = "run --allow-debug -q -b lmdb -w read-one -n 1000 --rounds 1 --memory 32MiB".words
      let killed = try workplace.start(arguments + "--trial-time 20s -o killed".words)
      var seen: Set<String> = []
      for _ in 0..<200 where seen.isEmpty {
        seen = try Self.groups()
        try await Task.sleep(nanoseconds: 50_000_000)
      }
      #expect(seen.count == 1)
      kill(killed.identifier, SIGINT)
      await killed.finish(exits: ExitStatus.interrupted)
      #expect(try Self.groups().isEmpty)
      // A group of another run that no process uses.
      let left = try MemoryGroups().parent + "/\(MemoryGroups.prefix)1-left"
      #expect(mkdir(left, 0o755) == 0)
      let next = try workplace.start(arguments + "--trial-time 10ms -o next".words)
      await next.finish(exits: 0)
      #expect(try Self.groups().isEmpty)
    }
  }
}
