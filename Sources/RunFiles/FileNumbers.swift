import Foundation
import StorageContract

/// The valid ranges of numbers in the files of a run. Sums and products of two valid numbers fit into 64 bits.
public enum FileNumbers {
  /// The valid range of the number of records in a store. A store with more records would fill the disk.
  public static let records = 1...100_000_000
  /// The valid range of the payload size of a record, in bytes.
  public static let recordBytes = 0...1 << 30
  /// The valid range of the number of threads of a trial. With more threads, a trial would measure the kernel's
  /// scheduler.
  public static let threads = 1...1_024
  /// The valid range of a store's age: changes per record before the measurement. More changes would take days.
  public static let changes = 0...1_000
  /// The valid range of the memory limit of a trial, in bytes.
  public static let memory = 1...1 << 50
  /// The valid range of the number of rounds of a run.
  public static let rounds = 0...100_000
  /// The valid range of the duration of a trial's timed part, in nanoseconds.
  public static let trialTime: ClosedRange<Int64> = 0...3_600_000_000_000
  /// The valid range of the time limit of a timed trial, in nanoseconds.
  public static let cellLimit: ClosedRange<Int64> = 0...86_400_000_000_000
  /// The valid range of the number of operations per second, for a workload that starts operations at fixed times.
  public static let rate = 1e-9...1e9
  /// The maximum length in bytes of the name of a backend or workload with its options.
  static let longestName = 500
  /// The valid range of the number of parts (shards) into which a plan is divided.
  public static let shards = 1...1_000_000
  /// The valid range of a count, such as the number of operations, bytes or calls.
  public static let count = 0...1_000_000_000_000_000
  /// The valid range of a count that must not be 0, such as a number of operations that is used as a divisor.
  public static let operations = 1...1_000_000_000_000_000
  /// The valid range of a measured duration in nanoseconds, up to about three years.
  static let nanoseconds: ClosedRange<Int64> = 0...100_000_000_000_000_000
  /// The valid range of a time in nanoseconds, such as the time of an operation. Fractions of a nanosecond are valid.
  static let time = 1e-6...1e17
  static let prediction = 0.0...1e30
  static let seconds = 0.0...1e10
  static let instant = -1e12...1e12
  static let finding = -1e18...1e18
  /// The valid range of a very large number: the number of disk states possible after a simulated power cut.
  static let possible = 0.0...Double.greatestFiniteMagnitude

  /// Parses a shard: `2/4` is number 2 of 4 shards. Returns nil for an invalid text.
  package static func shard(_ text: String) -> (number: Int, count: Int)? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], shards.contains(count),
      (1...count).contains(number)
    else { return nil }
    return (number, count)
  }
}

package struct FieldError: Error, CustomStringConvertible {
  /// The error message, such as `timing.p50 is 5e-324, but must be from 1e-06 to 1e+17`.
  package let description: String

  init(_ description: String) { self.description = description }

  static func require<Value: Comparable>(
    _ name: @autoclosure () -> String, _ value: Value?, in range: ClosedRange<Value>
  ) throws {
    guard let value, !range.contains(value) else { return }
    throw FieldError("\(name()) is \(value), but must be from \(range.lowerBound) to \(range.upperBound)")
  }

  static func require(time name: @autoclosure () -> String, _ value: Double?) throws {
    if value != 0 { try require(name(), value, in: FileNumbers.time) }
  }
}

extension Error {
  /// The JSON field that caused a decoding error, as text for a message: ` (cell.records is missing)`. Empty if
  /// unknown.
  var field: String {
    guard let error = self as? DecodingError else { return "" }
    let (keys, problem): ([any CodingKey], String) =
      switch error {
      case .keyNotFound(let key, let context): (context.codingPath + [key], "missing")
      case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
        (context.codingPath, "wrong")
      @unknown default: ([], "wrong")
      }
    if keys.isEmpty { return "" }
    let path = keys.map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue }.joined(separator: ".")
    return " (\(path) is \(problem))"
  }
}

extension Cell {
  package func checkNumbers() throws {
    try FieldError.require("cell.records", records, in: FileNumbers.records)
    try FieldError.require("cell.record_bytes", recordBytes, in: FileNumbers.recordBytes)
    try FieldError.require("cell.threads", threads, in: FileNumbers.threads)
    try FieldError.require("cell.aged", aged, in: FileNumbers.changes)
    try FieldError.require("cell.memory", memory, in: FileNumbers.memory)
  }
}

extension Trial: RunFile {
  package func checkNumbers() throws {
    try cell.checkNumbers()
    try FieldError.require("round", round, in: 1...FileNumbers.rounds.upperBound)
    try FieldError.require("position", position, in: FileNumbers.operations)
    try FieldError.require("started", started, in: FileNumbers.instant)
    try FieldError.require("wall", wall, in: FileNumbers.seconds)
    try FieldError.require("predicted_ns", predicted, in: FileNumbers.prediction)
    try timing?.checkNumbers()
    try cost?.checkNumbers()
    for finding in findings ?? [] {
      try FieldError.require("findings.value", finding.value, in: FileNumbers.finding)
    }
  }
}

extension Timing {
  func checkNumbers() throws {
    try FieldError.require("timing.operations", operations, in: FileNumbers.operations)
    try FieldError.require("timing.elapsed", elapsed, in: FileNumbers.nanoseconds)
    try FieldError.require("timing.singlesElapsed", singlesElapsed, in: FileNumbers.nanoseconds)
    try FieldError.require("timing.cpu", cpu, in: FileNumbers.nanoseconds)
    try FieldError.require("timing.min", min, in: FileNumbers.nanoseconds)
    try FieldError.require("timing.max", max, in: FileNumbers.nanoseconds)
    if let min, let max, min > max { throw FieldError("timing.min is \(min), more than timing.max, which is \(max)") }
    try FieldError.require(time: "timing.p50", p50)
    try FieldError.require(time: "timing.p25", p25)
    if p25 > p50 { throw FieldError("timing.p25 is \(p25), more than timing.p50, which is \(p50)") }
    // Only a median of single operations of one kind, without a schedule, is checked. The median is the bound of a
    // histogram bucket, and may slightly exceed the maximum.
    if batch == nil, kinds == nil, rate == nil, let max, p50 > Double(max) * 1.25 + 1 {
      throw FieldError("timing.p50 is \(p50), more than timing.max, which is \(max)")
    }
    try FieldError.require("timing.batch", batch, in: FileNumbers.operations)
    try FieldError.require(time: "timing.clock", clock)
    try FieldError.require("timing.resident", resident, in: 0...1)
    try FieldError.require("timing.checkpoints", checkpoints, in: FileNumbers.count)
    try FieldError.require("timing.rate", rate, in: FileNumbers.rate)
    try FieldError.require("timing.halves", halves, in: FileNumbers.time)
    if let series, LatencySeries(text: series) == nil { throw FieldError("timing.series is not a series of latencies") }
    if let interference {
      let times = [
        ("window", interference.window), ("waited", interference.waited), ("stolen", interference.stolen),
        ("tick", interference.tick), ("syncBefore", interference.syncBefore), ("syncAfter", interference.syncAfter),
      ]
      for (name, time) in times {
        try FieldError.require("timing.interference.\(name)", time, in: FileNumbers.nanoseconds)
      }
      try FieldError.require("timing.interference.preemptions", interference.preemptions, in: FileNumbers.count)
    }
    try FieldError.require("timing.overFrame", overFrame, in: FileNumbers.count)
    try FieldError.require("timing.overHalfFrame", overHalfFrame, in: FileNumbers.count)
    if let histogram, !HistogramText.isValid(histogram) { throw FieldError("timing.histogram is not a histogram") }
    for kind in kinds ?? [] {
      try FieldError.require("timing.kinds.operations", kind.operations, in: FileNumbers.count)
      try FieldError.require("timing.kinds.max", kind.max, in: FileNumbers.nanoseconds)
      guard HistogramText.isValid(kind.histogram) else { throw FieldError("timing.kinds.histogram is not a histogram") }
    }
  }
}

extension Cost {
  func checkNumbers() throws {
    try FieldError.require("cost.counted_operations", countedOperations, in: FileNumbers.operations)
    for measure in Measure.all {
      try FieldError.require("cost.\(measure.column)", self[keyPath: measure.path], in: FileNumbers.count)
    }
  }
}

extension Plan: RunFile {
  package func checkNumbers() throws {
    try FieldError.require("rounds", rounds, in: FileNumbers.rounds)
    try FieldError.require("trialTime", trialTime, in: FileNumbers.trialTime)
    try FieldError.require("logTrialTime", logTrialTime, in: FileNumbers.trialTime)
    try FieldError.require("cellLimit", cellLimit, in: FileNumbers.cellLimit)
    try FieldError.require("rate", rate, in: FileNumbers.rate)
    for cell in cells {
      try cell.cell.checkNumbers()
      for spec in [cell.cell.backend, cell.cell.workload] where spec.description.utf8.count > FileNumbers.longestName {
        throw FieldError("cells has a name of more than \(FileNumbers.longestName) bytes")
      }
    }
    if let twice = Dictionary(grouping: cells, by: \.cell.name).first(where: { $0.value.count > 1 }) {
      throw FieldError("cells has \(twice.key) twice")
    }
    if let shard, FileNumbers.shard(shard) == nil {
      throw FieldError(
        "shard is '\(shard)', but must be the number of a shard and the number of all shards, such as 2/4")
    }
    for index in places ?? [] { try FieldError.require("places", index, in: FileNumbers.count) }
    for workload in workloads ?? [] {
      try FieldError.require("workloads.words.limit.time", workload.words.limit?.time, in: FileNumbers.prediction)
    }
  }
}

extension MachineEnvironment: RunFile {
  package func checkNumbers() throws {
    try FieldError.require(time: "sync_ns", syncCost)
    try FieldError.require(time: "clock_ns", clockCost)
    try FieldError.require("wall_s", wall, in: FileNumbers.seconds)
  }
}

extension ProbeSample {
  func checkNumbers() throws {
    try FieldError.require("started", started, in: FileNumbers.instant)
    try FieldError.require(time: "loop", loop)
    try FieldError.require(time: "write", write)
    try FieldError.require("steal", steal, in: 0...1e18)
    try FieldError.require("ticks", ticks, in: 0...1e18)
  }
}

extension SafetyReport: RunFile {
  package func checkNumbers() throws {
    for result in findings {
      try FieldError.require("findings.cases", result.cases, in: FileNumbers.count)
      try FieldError.require("findings.possible", result.possible, in: FileNumbers.possible)
      try FieldError.require("findings.seconds", result.seconds, in: FileNumbers.seconds)
      let parts = [
        ("kept", result.kept), ("lost_within_promise", result.lostWithinPromise),
        ("lost_against_promise", result.lostAgainstPromise), ("torn", result.torn), ("refused", result.refused),
        ("unnoticed", result.unnoticed), ("crashed", result.crashed), ("broken", result.broken),
      ]
      for (name, cases) in parts { try FieldError.require("findings.\(name)", cases, in: 0...result.cases) }
    }
  }
}
