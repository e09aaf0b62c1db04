import Foundation
import Testing

/// The syncs per save of every backend and level, compared with its promise and with the settings that the engine
/// reports.
extension EndToEnd.Enduring {
  @Suite struct SyncTests {
    /// A backend and durability, the syncs per save without those of checkpoints, the level, and a part of the settings.
    private typealias Row = (cell: String, syncs: Int, level: String, setting: String)

    private static let rows: [Row] = {
      var rows: [Row] = [
        ("defaults shipped", 1, "fragile", "synchronize=per-commit"),
        // Debian compiles SQLite so that a write-ahead log syncs every commit. GRDB sets fewer syncs.
        ("sqlite:journal=wal shipped", 1, "durable", "journal_mode=wal synchronous=2"),
        ("sqlite:journal=wal durable", 1, "durable", "journal_mode=wal synchronous=2"),
        ("sqlite:journal=memory shipped", 1, "fragile", "journal_mode=memory synchronous=2"),
        ("sqlite:as=apple shipped", 0, "intact", "journal_mode=wal synchronous=1"),
        ("sqlite-queue:pool=yes shipped", 0, "intact", "journal_mode=wal synchronous=1"),
        ("sqlite-queue:pool=yes crash", 0, "crash", "journal_mode=wal synchronous=0"),
        ("sqlite-queue:pool=yes durable", 1, "durable", "journal_mode=wal synchronous=2"),
        ("lmdb shipped", 2, "durable", "nosync=no nometasync=no"),
        ("lmdb crash", 0, "crash", "nosync=yes"),
        ("lmdb intact", 1, "intact", "nosync=no nometasync=yes"),
        ("lmdb durable", 2, "durable", "nosync=no nometasync=no"),
        ("lmdb:sync=nometasync shipped", 1, "intact", "nometasync=yes"),
        ("lmdb:sync=nometasync intact", 1, "intact", "nometasync=yes"),
        ("memory shipped", 0, "volatile", "storage="),
        ("null shipped", 0, "volatile", "storage="),
      ]
      for file in ["plist", "archive"] {
        rows += [
          ("\(file) shipped", 1, "intact", "atomic=yes fsync=yes directory_fsync=no"),
          ("\(file) crash", 0, "crash", "atomic=yes fsync=no directory_fsync=no"),
          ("\(file) intact", 1, "intact", "atomic=yes fsync=yes directory_fsync=no"),
          ("\(file) durable", 2, "durable", "atomic=yes fsync=yes directory_fsync=yes"),
          ("\(file):atomic=no shipped", 1, "fragile", "atomic=no"),
        ]
      }
      for engine in ["sqlite", "sqlite-queue"] {
        rows += [
          ("\(engine) shipped", 4, "intact", "journal_mode=delete synchronous=2"),
          ("\(engine) crash", 0, "crash", "journal_mode=wal synchronous=0"),
          ("\(engine) intact", 0, "intact", "journal_mode=wal synchronous=1"),
          ("\(engine) durable", 1, "durable", "journal_mode=wal synchronous=2"),
          ("\(engine):journal=delete shipped", 4, "intact", "journal_mode=delete synchronous=2"),
          ("\(engine):journal=delete crash", 0, "crash", "journal_mode=delete synchronous=0"),
          ("\(engine):journal=delete intact", 4, "intact", "journal_mode=delete synchronous=2"),
          ("\(engine):journal=delete durable", 5, "durable", "journal_mode=delete synchronous=3"),
        ]
      }
      return rows
    }()

    @Test func everyLevelSyncsAsPromised() async throws {
      let backends = Set(Self.rows.map { $0.cell.split(separator: " ")[0] }).sorted().joined(separator: ",")
      let results = try await Workplace().run(
        "--profile counts -w save-one -n 100 --durability shipped,crash,intact,durable -b", backends, into: "levels")
      for (cell, perSave, level, setting) in Self.rows {
        let row = try results.row(cell.replacing(" ", with: "/save-one/100/"))
        #expect(row["status"] == "ok", "\(cell): \(row["note"] ?? "")")
        #expect(row["level"] == level, "\(cell)")
        #expect(row["settings"]?.contains(setting) == true, "\(cell): \(row["settings"] ?? "")")
        let others = try row.number("syncs_settled") - perSave * row.number("counted_operations")
        guard setting.contains("journal_mode=wal"), !setting.contains("synchronous=0") else {
          #expect(others == 0, "\(cell)")
          continue
        }
        // 2,000 one-page commits fill a log of 1,000 pages twice. Each checkpoint syncs three times, and creating and
        // settling the log adds one or two syncs.
        #expect((6...8).contains(others), "\(cell): \(others)")
      }
    }
  }
}
