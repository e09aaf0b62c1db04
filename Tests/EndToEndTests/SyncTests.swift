import Foundation
import Testing

/// The syncs per save of every backend and level, compared with its promise and with the settings that the engine
/// reports.
extension EndToEnd.Enduring {
  @Suite struct SyncTests {
    /// The expected values of a row.
    private struct Row {
      var cell: String
      /// The syncs per save without those of checkpoints; nil if the row is not available.
      var syncs: Int?
      var level: String
      /// A part of the expected settings.
      var setting: String
      /// Whether there is a write-ahead log, whose checkpoints sync three times each unless syncs are off.
      var checkpoints = false

      init(_ cell: String, _ syncs: Int?, _ level: String, _ setting: String = "-", checkpoints: Bool = false) {
        self.cell = cell
        self.syncs = syncs
        self.level = level
        self.setting = setting
        self.checkpoints = checkpoints
      }
    }

    private static let rows: [Row] = {
      var rows: [Row] = []
      for file in ["plist", "archive"] {
        rows += [
          Row("\(file) shipped", 1, "intact", "atomic=yes fsync=yes directory_fsync=no"),
          Row("\(file) crash", 0, "crash", "atomic=yes fsync=no directory_fsync=no"),
          Row("\(file) intact", 1, "intact", "atomic=yes fsync=yes directory_fsync=no"),
          Row("\(file) durable", 2, "durable", "atomic=yes fsync=yes directory_fsync=yes"),
        ]
        rows.append(Row("\(file):atomic=no shipped", 1, "fragile", "atomic=no"))
      }
      rows.append(Row("defaults shipped", 1, "fragile", "synchronize=per-commit"))
      for fragile in ["plist:atomic=no", "archive:atomic=no", "defaults", "sqlite:journal=memory"] {
        for durability in ["crash", "intact", "durable"] { rows.append(Row("\(fragile) \(durability)", nil, "")) }
      }
      for engine in ["sqlite", "sqlite-queue"] {
        rows += [
          Row("\(engine) shipped", 4, "intact", "journal_mode=delete synchronous=2"),
          Row("\(engine) crash", 0, "crash", "journal_mode=wal synchronous=0"),
          Row("\(engine) intact", 0, "intact", "journal_mode=wal synchronous=1", checkpoints: true),
          Row("\(engine) durable", 1, "durable", "journal_mode=wal synchronous=2", checkpoints: true),
          Row("\(engine):journal=delete shipped", 4, "intact", "journal_mode=delete synchronous=2"),
          Row("\(engine):journal=delete crash", 0, "crash", "journal_mode=delete synchronous=0"),
          Row("\(engine):journal=delete intact", 4, "intact", "journal_mode=delete synchronous=2"),
          Row("\(engine):journal=delete durable", 5, "durable", "journal_mode=delete synchronous=3"),
        ]
      }
      rows += [
        // Debian compiles SQLite so that a write-ahead log syncs every commit. GRDB sets fewer syncs.
        Row("sqlite:journal=wal shipped", 1, "durable", "journal_mode=wal synchronous=2", checkpoints: true),
        Row("sqlite:journal=wal durable", 1, "durable", "journal_mode=wal synchronous=2", checkpoints: true),
        Row("sqlite:journal=memory shipped", 1, "fragile", "journal_mode=memory synchronous=2"),
        Row("sqlite:as=apple shipped", 0, "intact", "journal_mode=wal synchronous=1", checkpoints: true),
        Row("sqlite-queue:pool=yes shipped", 0, "intact", "journal_mode=wal synchronous=1", checkpoints: true),
        Row("sqlite-queue:pool=yes crash", 0, "crash", "journal_mode=wal synchronous=0"),
        Row("sqlite-queue:pool=yes durable", 1, "durable", "journal_mode=wal synchronous=2", checkpoints: true),
        Row("lmdb shipped", 2, "durable", "nosync=no nometasync=no"),
        Row("lmdb crash", 0, "crash", "nosync=yes"),
        Row("lmdb intact", 1, "intact", "nosync=no nometasync=yes"),
        Row("lmdb durable", 2, "durable", "nosync=no nometasync=no"),
        Row("lmdb:sync=nometasync shipped", 1, "intact", "nometasync=yes"),
        Row("lmdb:sync=nometasync intact", 1, "intact", "nometasync=yes"),
        Row("lmdb:sync=nometasync durable", nil, ""),
      ]
      for floor in ["memory", "null"] {
        rows.append(Row("\(floor) shipped", 0, "volatile", "storage="))
        for durability in ["crash", "intact", "durable"] { rows.append(Row("\(floor) \(durability)", nil, "")) }
      }
      return rows
    }()

    @Test func everyLevelSyncsAsPromised() async throws {
      let workplace = try Workplace()
      let backends = Set(Self.rows.map { $0.cell.split(separator: " ")[0] }).sorted().joined(separator: ",")
      let results = try await workplace.run(
        "--profile", "counts", "-w", "save-one", "-n", "100", "--durability", "shipped,crash,intact,durable", "-b",
        backends, into: "levels")
      for row in Self.rows {
        let parts = row.cell.split(separator: " ")
        let found = try results.row("\(parts[0])/save-one/100/\(parts[1])")
        guard let perSave = row.syncs else {
          #expect(found["status"] == "n/a", "\(row.cell)")
          #expect(found["note"]?.isEmpty == false, "\(row.cell)")
          #expect(found["syncs"] == "", "\(row.cell)")
          continue
        }
        #expect(found["status"] == "ok", "\(row.cell): \(found["note"] ?? "")")
        #expect(found["level"] == row.level, "\(row.cell)")
        #expect(found["settings"]?.contains(row.setting) == true, "\(row.cell): \(found["settings"] ?? "")")
        let (operations, syncs) = (try found.number("counted_operations"), try found.number("syncs_settled"))
        guard row.checkpoints else {
          #expect(syncs == perSave * operations, "\(row.cell)")
          continue
        }
        // 2,000 one-page commits fill a log of 1,000 pages twice. Each checkpoint syncs three times, and creating and
        // settling the log adds one or two syncs.
        #expect((6...8).contains(syncs - perSave * operations), "\(row.cell): \(syncs)")
      }
    }
  }
}
