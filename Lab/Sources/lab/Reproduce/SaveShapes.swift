import Foundation
import StorageContract
import StorageReport

extension Shapes {
  private static let sizes = [100, 1_000, 10_000]
  private static let wholeFile = ["plist", "archive", "defaults"]
  private static let pages = ["sqlite", "sqlite-queue", "object-graph", "lmdb"]

  /// The cost of saves.
  static let saves = [
    Shape(
      "whole-file-rewrite", "A whole-file store writes its whole file for every save, however little has changed.",
      source:
        "Apple, Core Data Programming Guide, 'Persistent Store Types and Behaviors': atomic stores are written whole"
    ) { evidence in
      var shares: [String] = []
      var isFound = true
      for backend in wholeFile {
        let name = "\(backend)/save-one/10000/shipped"
        let share = try evidence.count(name, \.bytesWritten) / evidence.total(name, \.fileBytes)
        isFound = isFound && abs(share - 1) <= 0.01
        shares.append("\(backend) \(fixed(share, 3))")
      }
      return .of(
        isFound, "bytes of a save by bytes of the file: \(shares.joined(separator: ", ")); expected 0.99 to 1.01")
    },
    Shape(
      "whole-file-growth", "What a save of a whole-file store writes grows in proportion to the store.",
      source: "follows from the above; seen on the reference machine with exponents of 0.95 to 1.10"
    ) { evidence in
      let slopes = try wholeFile.map { ($0, try evidence.slope($0, sizes: sizes)) }
      return .of(
        slopes.allSatisfy { (0.95...1.10).contains($0.1) },
        "exponents \(list(slopes)) over 100 to 10,000 records; expected 0.95 to 1.10")
    },
    Shape(
      "page-growth", "What a save of a page engine writes hardly grows with the store: a path of a B-tree.",
      source:
        "Comer, 'The Ubiquitous B-Tree', ACM Computing Surveys 11(2), 1979; seen on the reference machine: SQLite "
        + "0.065, LMDB 0.062"
    ) { evidence in
      let slopes = try pages.map { ($0, try evidence.slope($0, sizes: sizes)) }
      return .of(
        slopes.allSatisfy { $0.1 < 0.15 },
        "exponents \(list(slopes)) over 100 to 10,000 records; expected below 0.15")
    },
    Shape(
      "four-autocommits", "Four statements that commit by themselves take much longer than one transaction of four.",
      source: "SQLite FAQ, question 19, https://sqlite.org/faq.html#q19"
    ) { evidence in
      let (four, one) = ("sqlite/import:batch=1/4/shipped", "sqlite/import/4/shipped")
      let syncs = (try evidence.count(four, \.syncs), try evidence.count(one, \.syncs))
      let counts = "\(NumberFormat.perOperation(syncs.0)) syncs against \(NumberFormat.perOperation(syncs.1))"
      guard let comparison = try? evidence.slower(four, than: one) else {
        return .of(syncs.0 == 4 * syncs.1, "\(counts); expected 4 times as many")
      }
      return .of(
        syncs.0 == 4 * syncs.1 && (comparison.ratio.interval?.low ?? 0) > 2,
        "\(comparison.text) the time, \(counts); expected over 2x, and 4 times the syncs")
    },
    Shape(
      "shipped-is-not-durable", "Who is ahead as shipped is not who is ahead when all promise the same.",
      source: "Pillai et al., 'All File Systems Are Not Created Equal', OSDI 2014, shows how unlike the promises of "
        + "stores are; the change of order was seen on the reference machine"
    ) { evidence in
      let names = pages + ["plist"]
      var reversed: (turn: Double, words: String)?
      for ahead in names {
        for behind in names where ahead != behind {
          let shipped = try evidence.slower("\(behind)/save-one/1000/shipped", than: "\(ahead)/save-one/1000/shipped")
          let durable = try evidence.slower(durable(ahead, evidence), than: durable(behind, evidence))
          guard shipped.verdict == .slower, durable.verdict != .faster, durable.ratio.ratio > reversed?.turn ?? 1
          else {
            continue
          }
          reversed = (
            durable.ratio.ratio,
            "as shipped \(behind) takes \(shipped.text) the time of \(ahead), durable \(ahead) takes "
              + "\(durable.text) that of \(behind)"
          )
        }
      }
      return reversed.map { .found($0.words) }
        ?? .notFound("the order of \(names.joined(separator: ", ")) is the same as shipped and durable")
    },
    Shape(
      "mixed-durable",
      "Half reads, half updates, all durable: SQLite's write-ahead log is ahead of LMDB, and both of a rollback journal.",
      source:
        "seen on the reference machine with a C++ YCSB client, workload A, one thread, 1 kB: 11,000, 7,500 and 3,000 "
        + "operations a second"
    ) { evidence in
      let (log, lmdb, journal) = (
        "sqlite:journal=wal/mix:ycsb=a/10000/durable/bytes=1000", "lmdb/mix:ycsb=a/10000/durable/bytes=1000",
        "sqlite:journal=delete/mix:ycsb=a/10000/durable/bytes=1000"
      )
      // Reads and saves differ too much for quartiles to represent a mix, so throughput is compared.
      let rates = try [log, lmdb, journal].map { name -> Double in
        guard let rate = try evidence.row(name).operationsPerSecond, try evidence.isTimed(name) else {
          throw Evidence.Missing(reason: "times are compared from 6 rounds on")
        }
        return rate
      }
      return .of(
        rates[0] > rates[1] && rates[1] > rates[2],
        "\(rates.map(NumberFormat.rate).joined(separator: ", ")) operations a second; expected in falling order")
    },
  ]

  /// Returns the name of the durable row. A backend that is durable as shipped has no separate one.
  private static func durable(_ backend: String, _ evidence: Evidence) -> String {
    let name = "\(backend)/save-one/1000/durable"
    return (try? evidence.row(name)) == nil ? "\(backend)/save-one/1000/shipped" : name
  }

  private static func list(_ slopes: [(String, Double)]) -> String {
    slopes.map { "\($0.0) \(fixed($0.1, 3))" }.joined(separator: ", ")
  }

  static func fixed(_ value: Double, _ decimals: Int) -> String { String(format: "%.\(decimals)f", value) }
}
