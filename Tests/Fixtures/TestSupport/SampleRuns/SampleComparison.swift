import StorageContract
import StorageReport
import StorageStatistics

/// A comparison with one judgement of every kind.
enum SampleComparison {
  static let value = Comparison(
    subject: .pairs, base: .init(name: "old/storage-bench", machine: "0a1b2c3d"),
    head: .init(name: "new/storage-bench", machine: "0a1b2c3d"),
    judgements: [
      Judgement(
        name: "sqlite/read-one/1000/-", verdict: .slower,
        time: TimeChange(
          base: 4_100, head: 5_000, ratio: 1.21, low: 1.18, high: 1.24, pairs: 12, margin: 0.05, isConfirmed: true,
          baseProcesses: [4_090, 4_100.5, 4_110, 4_095, 4_105, 4_102],
          headProcesses: [5_000, 4_990, 5_010, 5_002, 4_998, 5_001])),
      Judgement(
        name: "plist/save-one/1000/durable", verdict: .more,
        counts: [
          CountChange(metric: "bytes", unit: "B", operations: 8, base: 800, head: 800, tolerance: 0),
          CountChange(metric: "syncs", unit: "calls", operations: 8, base: 16, head: 24, tolerance: 0),
        ]),
      Judgement(name: "lmdb/save-one/1000/shipped", verdict: .failed, note: "killed by signal 11 (SIGSEGV)"),
      Judgement(
        name: "archive/save-one/1000/shipped", verdict: .unmeasurable, note: "the pairs scatter | too much <&\">",
        time: TimeChange(base: 8e7, head: 8.1e7, ratio: 1.01, low: 0.7, high: 1.4, pairs: 20, margin: 0.05)),
      Judgement(
        name: "lmdb/read-one/1000/-", verdict: .faster,
        time: TimeChange(
          base: 900, head: 700, ratio: 0.78, low: 0.75, high: 0.8, pairs: 12, margin: 0.05, isConfirmed: true)),
      Judgement(
        name: "sqlite/save-one/1000/shipped", verdict: .fewer,
        counts: [
          CountChange(metric: "bytes", unit: "B", operations: 2_000, base: 9_000_000, head: 4_000_000, tolerance: 0)
        ]
      ),
      Judgement(
        name: "memory/read-one/1000/-", verdict: .same,
        time: TimeChange(
          base: 31, head: 31, ratio: 1.002, low: 0.99, high: 1.01, pairs: 12, margin: 0.05,
          smallestDetectable: 0.0521)),
      Judgement(
        name: "memory/import/1000/shipped", verdict: .same,
        time: TimeChange(
          base: 31_000, head: 32_000, ratio: 1.03, low: 0.94, high: 1.12, pairs: 36, margin: 0.05, comparesMeans: true,
          smallestDetectable: 0.12)),
      Judgement(name: "defaults/save-one/1000/durable", verdict: .notAvailable, note: "it can only do less"),
    ],
    method: PairedMethod(
      rounds: 12, syncingRounds: 20, trialTime: 50_000_000,
      control: [Judgement(name: "memory/read-one/1000/-", verdict: .same)],
      coverage: Coverage((0..<8).map { (["backend x"], $0 > 0) })),
    notes: ["Read the differences."])
}
