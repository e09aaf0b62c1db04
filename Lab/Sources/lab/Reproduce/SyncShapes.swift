import StorageContract
import StorageReport

extension Shapes {
  /// The number of syncs of a save.
  static let syncs = [
    syncs(
      "sqlite-wal-full", "sqlite/save-one/1000/durable", 1, within: 0.02,
      "SQLite with a write-ahead log at FULL syncs once a save, and more only at checkpoints.",
      source: "https://sqlite.org/wal.html and https://sqlite.org/pragma.html#pragma_synchronous"),
    syncs(
      "sqlite-delete-full", "sqlite/save-one/1000/shipped", 4,
      "SQLite with a rollback journal at FULL syncs four times a save: the journal twice, its directory, the database.",
      source: "https://sqlite.org/atomiccommit.html, counted with strace"),
    syncs(
      "sqlite-delete-extra", "sqlite:journal=delete/save-one/1000/durable", 5,
      "At EXTRA the directory is synced once more, after the journal is gone.",
      source: "https://sqlite.org/pragma.html#pragma_synchronous"),
    syncs(
      "lmdb", "lmdb/save-one/1000/shipped", 2,
      "LMDB flushes twice a save: one fdatasync for the pages, one O_DSYNC write of the meta page.",
      source: "lmdb.h, MDB_NOMETASYNC and MDB_NOSYNC, and mdb.c, mdb_env_write_meta"),
  ]

  private static func syncs(
    _ name: String, _ cell: String, _ expected: Double, within share: Double = 0, _ claim: String, source: String
  ) -> Shape {
    Shape("syncs-\(name)", claim, source: source) { evidence in
      let syncs = try evidence.count(cell, \.syncs)
      return .of(
        syncs >= expected && syncs <= expected * (1 + share),
        "\(fixed(syncs, 3)) syncs a save (\(try evidence.row(cell).settings)); expected \(Int(expected))"
          + (share > 0 ? " and at most \(Int(share * 100)) % more" : ""))
    }
  }
}
