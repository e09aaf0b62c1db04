import Foundation
import StorageBackends
import StorageContract
import StorageRunFiles
import StorageStatistics
import StorageTrial
import StorageWorkloads
import Testing

@testable import StorageBench

/// The directory of the checkout.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// The directory of the executables that were built with the tests.
let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

/// Expects a usage error whose sentence contains the words.
func expectUsageError<Value>(
  _ words: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) {
  let error = #expect(throws: UsageError.self, sourceLocation: sourceLocation) { _ = try body() }
  let sentence = error?.description ?? ""
  #expect(sentence.contains(words), "\(sentence)", sourceLocation: sourceLocation)
}

/// A backend that is never opened: plans and schedules read only its description.
final class PageBackend: StorageBackend {
  static let description = BackendDescription(
    id: "page", summary: "pages", safety: "Nothing is lost.",
    options: [
      OptionSpec("mode", ["fast", "safe"], help: "how"), OptionSpec("size", .size(or: "auto"), help: "how much"),
    ],
    kind: { _ in .page }, engineVersion: { "Page 1.0" })

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    switch durability {
    case .shipped: .level(.intact)
    case .crash: .level(.crash)
    case .intact: .level(.intact)
    case .durable: .level(.durable)
    }
  }

  init(opening environment: StoreEnvironment) throws { throw StoreError.failed("never opened") }

  var settings: String { "" }
  func commit(_ changes: [Change]) throws {}
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool { false }
  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {}
  func count(in collection: CollectionID) throws -> Int { 0 }
  func close() throws {}
}

extension Catalog {
  /// The backends and workloads of this package.
  static let whole = Catalog(backends: Backends.all, workloads: Workloads.all)
  /// The backend that is never opened, and the workloads of this package.
  static let page = Catalog(backends: [PageBackend.self], workloads: Workloads.all)
}

extension PlanBuilder {
  /// Returns a builder for options of cells and for the other arguments of a command.
  static func sample(
    _ cells: [String], profile: Profile? = nil, arguments: [String] = [], timesLogsLonger: Bool = false
  ) throws -> PlanBuilder {
    var builder = try PlanBuilder(
      catalog: .whole, cells: CellOptions.parse(cells), profile: profile, arguments: arguments)
    (builder.scratch, builder.timesLogsLonger) = ("/scratch", timesLogsLonger)
    return builder
  }
}

extension RunDirectory {
  /// Returns the trials in the journal.
  func allTrials() throws -> [Trial] {
    var all: [Trial] = []
    _ = try trials.forEach { all.append($0) }
    return all
  }
}

extension Cell {
  static func sample(
    _ backend: String = "page", _ workload: String = "save-one", records: Int = 100, durability: Durability? = .shipped
  ) -> Cell {
    Cell(backend: Spec(id: backend), workload: Spec(id: workload), records: records, durability: durability)
  }
}

extension PlannedCell {
  static func sample(
    _ backend: String = "page", _ workload: String = "save-one", records: Int = 100,
    durability: Durability? = .shipped, isWholeFile: Bool = false, refusal: PlannedCell.Refusal? = nil
  ) -> PlannedCell {
    sample(
      .sample(backend, workload, records: records, durability: durability), isWholeFile: isWholeFile, refusal: refusal)
  }

  static func sample(
    _ cell: Cell, isWholeFile: Bool = false, refusal: PlannedCell.Refusal? = nil
  ) -> PlannedCell {
    PlannedCell(cell: cell, level: .intact, engineVersion: "1", refusal: refusal, isWholeFile: isWholeFile)
  }

  /// Returns the cell with a different option of the backend, so that names of cells differ.
  func named(_ name: String) -> PlannedCell {
    var planned = self
    planned.cell.backend = Spec(verbatim: "page:size=\(name.utf8.first ?? 0)")
    return planned
  }
}

extension Timing {
  /// Returns a timing in which each operation takes so many nanoseconds.
  static func sample(_ nanoseconds: Double, operations: Int = 10) -> Timing {
    Timing(
      operations: operations, elapsed: Int64(nanoseconds * Double(operations)), cpu: 1, p25: nanoseconds,
      p50: nanoseconds, clock: 20)
  }

  /// Returns the buckets of the histogram of single operations.
  func buckets() throws -> [(value: UInt64, count: UInt64)] {
    try #require(histogram.flatMap { HistogramText(text: $0) }).buckets
  }

  /// Returns the latencies of single operations in whole milliseconds.
  func latencies() throws -> [UInt64] { try buckets().map { ($0.value + 500_000) / 1_000_000 } }
}

extension Trial {
  static func sample(
    _ cell: Cell, _ pass: Pass = .timed, round: Int? = 1, status: Status = .ok, timing: Timing? = .sample(1_000),
    cost: Cost? = nil, note: String? = nil
  ) -> Trial {
    Trial(
      cell: cell, pass: pass, round: pass == .timed ? round : nil, started: 0, wall: 0.1, status: status, note: note,
      timedOnce: timing.map {
        TimedOnce.isEnough(operations: $0.operations, elapsed: $0.elapsed, opening: 0)
      } ?? false,
      timing: pass == .timed ? timing : nil, cost: cost)
  }
}

/// A directory that is removed together with the object.
final class TemporaryDirectory {
  let path: String

  init(in parent: String = NSTemporaryDirectory()) {
    path = "\(parent)/bench-tests-\(UUID().uuidString)"
    do {
      try makeDirectory("")
    } catch {
      Issue.record(error)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var run: RunDirectory { RunDirectory(path: path) }

  /// Makes a directory below this one.
  func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
  }

  /// Writes a file, and returns its path.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }

  /// Begins a run in this directory, or in one below it.
  @discardableResult
  func begin(
    _ plan: Plan, in name: String = "", _ environment: MachineEnvironment = MachineEnvironment(machine: "m")
  ) throws -> RunDirectory {
    try makeDirectory(name)
    let run = RunDirectory(path: "\(path)/\(name)")
    try run.begin(plan, environment)
    return run
  }
}
