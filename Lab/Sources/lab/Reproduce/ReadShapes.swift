import StorageContract
import StorageReport

extension Shapes {
  /// The time and memory of reads.
  static let reads = [
    Shape(
      "lmdb-reads", "LMDB finds a record by its key several times as fast as SQLite.",
      source:
        "Symas, 'Database Microbenchmarks', 2012, http://lmdb.tech/bench/microbench/; 495,000 against 149,000 reads "
        + "a second on the reference machine (C++, 1 kB)"
    ) { evidence in
      let comparison = try evidence.slower("sqlite/read-one/100000/-", than: "lmdb/read-one/100000/-")
      return .of(
        (comparison.ratio.interval?.low ?? 0) > 2,
        "SQLite takes \(comparison.text) the time of LMDB at 100,000 records; expected over 2×")
    },
    Shape(
      "mapped-memory", "The resident set of a memory-mapped engine counts its file, that of one with a cache does not.",
      source:
        "getrusage(2) and proc(5): resident pages of a mapping count; seen on the reference machine: LMDB 219 MiB, "
        + "SQLite 17 MiB for the same records"
    ) { evidence in
      let (lmdb, sqlite) = ("lmdb/iterate/100000/-", "sqlite/iterate/100000/-")
      let mapped = try evidence.total(lmdb, \.peakFileBytes) / evidence.total(lmdb, \.fileBytes)
      let cached = try memory(sqlite, evidence) / evidence.total(sqlite, \.fileBytes)
      return .of(
        mapped > 0.8 && cached < 0.5,
        "walking through the store makes \(fixed(mapped, 2)) of LMDB's file resident, and memory of "
          + "\(fixed(cached, 2)) of SQLite's file; expected over 0.8 and below 0.5")
    },
    Shape(
      "blobs", "Small blobs are read faster out of SQLite, large ones out of a file each.",
      source:
        "SQLite, 'Internal Versus External BLOBs', https://www.sqlite.org/intern-v-extern-blob.html (even at about "
        + "100 kB), and '35% Faster Than The Filesystem', https://www.sqlite.org/fasterthanfs.html (10 kB)"
    ) { evidence in
      func blob(_ size: String, _ option: String) -> String {
        "sqlite/value-size:bytes=\(size)\(option):do=read/100/-"
      }
      let small = try evidence.slower(blob("10k", ":place=beside"), than: blob("10k", ""))
      let large = try evidence.slower(blob("1M", ""), than: blob("1M", ":place=beside"))
      return .of(
        small.verdict == .slower && large.verdict == .slower,
        "of 10 kB the file takes \(small.text) the time of the record, of 1 MB the record \(large.text) that of the "
          + "file; expected both above 1×")
    },
    Shape(
      "layers", "Each layer over SQLite costs: C, then rows of GRDB, then Codable.",
      source: "GRDB, https://github.com/groue/GRDB.swift/wiki/Performance, and its pull request 1046"
    ) { evidence in
      let layers = ["sqlite", "sqlite-queue", "sqlite-queue:decode=codable"]
      let steps = try zip(layers, layers.dropFirst()).map { lower, upper in
        (upper, try evidence.slower("\(upper)/load-all/10000/-", than: "\(lower)/load-all/10000/-"))
      }
      return .of(
        steps.allSatisfy { $0.1.verdict == .slower },
        "loading 10,000 records, each against the one before: "
          + steps.map { "\($0.0) \($0.1.text)" }.joined(separator: ", ") + "; expected all above 1×")
    },
    Shape(
      "graph-over-rows", "An object graph costs more than the rows that it is made from.",
      source: "the same page, whose object graph is Core Data; the one measured here is not"
    ) { evidence in
      let graph = "object-graph/load-all/10000/-"
      let rows = try evidence.slower(graph, than: "sqlite-queue/load-all/10000/-")
      let decoded = try evidence.slower(graph, than: "sqlite-queue:decode=codable/load-all/10000/-")
      return .of(
        rows.verdict == .slower,
        "loading 10,000 records takes \(rows.text) the time of GRDB's rows, \(decoded.text) that of Codable; "
          + "expected the first above 1×. There Core Data is behind Codable, too; this graph fills its objects without it"
      )
    },
  ]

  /// Returns the sum of both kinds of memory.
  private static func memory(_ name: String, _ evidence: Evidence) throws -> Double {
    try evidence.total(name, \.peakAnonBytes) + evidence.total(name, \.peakFileBytes)
  }
}
