import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageTrial

@testable import StorageBench

/// A machine with given results of its probes.
final class ScriptedMachine: MachineSampling, @unchecked Sendable {
  private let loops: [Double]
  private let stolen: Double
  private(set) var taken = 0

  init(_ loops: [Double] = [50e6], stolen: Double = 0) {
    self.loops = loops
    self.stolen = stolen
  }

  func sample() -> ProbeSample {
    defer { taken += 1 }
    return ProbeSample(
      started: Double(taken), loop: loops[taken % loops.count], write: 1e6, steal: stolen * Double(taken) * 100,
      ticks: Double(taken) * 100)
  }
}

/// A paired comparison without processes: the test sets the times of each side.
final class ScriptedPairs {
  let temporary: TemporaryDirectory
  private let catalog = Catalog.page

  init() throws { temporary = try TemporaryDirectory() }

  /// The launches of both sides, in order.
  final class Log: @unchecked Sendable {
    struct Entry: Hashable {
      var isHead: Bool
      var cell: String
    }
    private let lock = NSLock()
    private var list: [Entry] = []
    private var counts: [Entry: Int] = [:]
    private var paths: [Bool: [String]] = [:]
    var entries: [Entry] { lock.withLock { list } }
    func add(_ entry: Entry, in directory: String) -> Int {
      lock.withLock {
        list.append(entry)
        paths[entry.isHead, default: []].append(directory)
        counts[entry, default: 0] += 1
        return list.count
      }
    }
    /// Returns the directories of the launches of a side.
    func directories(_ isHead: Bool) -> [String] { lock.withLock { paths[isHead] ?? [] } }
    /// Returns the number of launches of a side of a cell. The control counts as the base.
    func count(_ isHead: Bool, _ cell: String) -> Int {
      lock.withLock { counts[Entry(isHead: isHead, cell: cell), default: 0] }
    }
  }

  let log = Log()
  let observer = EventList()

  func names(_ plan: PairedPlan) -> [String] { plan.head.cells.map(\.cell.name) }

  func plan(_ backends: [String] = ["a", "b", "c", "d"], rounds: Int? = nil) -> PairedPlan {
    let plan = Plan(rounds: 12, cells: backends.map { PlannedCell.sample("page", "save-one").named($0) })
    var paired = PairedPlan(base: plan, head: plan)
    paired.rounds = rounds
    return paired
  }

  /// Runs a plan. The test returns the nanoseconds of each side's operations.
  ///
  /// - Parameter shape: Changes a timing, for example to one of batches.
  func run(
    _ plan: PairedPlan, margins: [String] = [], inject: String? = nil, machine: any MachineSampling = ScriptedMachine(),
    judgesCounts: Bool = true, syncs: Int = 0, headSyncs: Int? = nil,
    shape: @escaping @Sendable (_ isHead: Bool, inout Timing) -> Void = { _, _ in },
    time: @escaping @Sendable (_ isHead: Bool, _ cell: String, _ launch: Int) throws -> Double
  ) async throws -> Comparison {
    let log = log
    func side(_ name: String, isHead: Bool, _ plan: Plan) throws -> RunSession {
      let directory = RunDirectory(path: "\(temporary.path)/\(name)")
      try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
      try directory.begin(plan, MachineEnvironment(machine: "m"))
      let launcher = ScriptedLauncher { request in
        var response = TrialResponse.ordinary(request)
        if request.task == .cost { response.cost?.syncs = isHead ? headSyncs ?? syncs : syncs }
        if request.task == .cost { response.cost?.syncsSettled = isHead ? headSyncs ?? syncs : syncs }
        guard request.task == .timed else { return .answered(response) }
        let launch = log.add(.init(isHead: isHead, cell: request.cell.name), in: request.directory)
        let nanoseconds = try time(isHead, request.cell.name, launch) * (1 + (request.slowdown ?? 0))
        var timing = Timing.sample(nanoseconds)
        shape(isHead, &timing)
        response.timing = timing
        return nanoseconds < 0 ? .killed(signal: 11) : .answered(response)
      }
      return RunSession(
        plan: plan, directory: directory, scratch: try Scratch("\(temporary.path)/scratch-\(name)"),
        launcher: launcher)
    }
    let base = try side("base", isHead: false, plan.base)
    let head = try side("head", isHead: true, plan.head)
    let control = RunDirectory(path: "\(temporary.path)/control")
    try FileManager.default.createDirectory(at: control.url, withIntermediateDirectories: true)
    let names = names(plan)
    let measurements = try await PairedRunner(
      plan: plan, catalog: catalog, base: base, head: head, control: control,
      margins: try Margins(margins, names: names),
      slowdowns: try inject.map { try Injection.slowdowns($0, names: names) } ?? [:], sampler: machine,
      observer: observer
    ).run()
    return try PairedGate(
      plan: plan, measurements: measurements, base: ReportModel(reading: base.directory),
      head: ReportModel(reading: head.directory), names: ("base", "head"), judgesCounts: judgesCounts,
      subject: plan.confirms ? .pairs : .noise
    ).comparison()
  }

  /// Returns a factor of noise of at most 0.5 %, the same for the same launch.
  static func noise(_ launch: Int) -> Double { 1 + Double(launch * 7 % 11 - 5) / 1_000 }
}
