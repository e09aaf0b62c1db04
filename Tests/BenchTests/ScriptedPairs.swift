import Foundation
import StorageReport
import StorageRunFiles
import StorageTrial

@testable import StorageBench

/// A machine with given results of its probes.
class ScriptedMachine: @unchecked Sendable {
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

struct PairLaunch {
  var isHead: Bool
  var cell: String
  var directory: String
}

extension Recorder<PairLaunch> {
  /// Returns the number of launches of a side of a cell. The control counts as the base.
  func count(_ isHead: Bool, _ cell: String) -> Int { entries.count { $0.isHead == isHead && $0.cell == cell } }
}

/// A paired comparison without processes: the test sets the times of each side.
final class ScriptedPairs {
  let temporary = TemporaryDirectory()
  /// The launches of both sides, in order.
  let log = Recorder<PairLaunch>()
  let observer = EventList()

  func names(_ plan: PairedPlan) -> [String] { plan.head.cells.map(\.cell.name) }

  func plan(_ backends: [String] = ["a", "b", "c", "d"], rounds: Int? = nil) -> PairedPlan {
    let plan = Plan(rounds: 12, cells: backends.map { PlannedCell.sample("page", "save-one").named($0) })
    var paired = PairedPlan(base: plan, head: plan)
    paired.rounds = rounds
    return paired
  }

  /// Runs a plan. The operations of a side take a microsecond times the noise of the launch and the factor of the test.
  /// A side with a negative factor fails. `shape` changes a timing, for example to one of batches.
  func run(
    _ plan: PairedPlan, margins: [String] = [], inject: String? = nil, machine: ScriptedMachine = ScriptedMachine(),
    judgesCounts: Bool = true, syncs: Int = 0, headSyncs: Int? = nil,
    factor: @escaping @Sendable (_ isHead: Bool, _ cell: String) -> Double = { _, _ in 1 },
    noise: @escaping @Sendable (_ launch: Int) -> Double = { 1 + Double($0 * 7 % 11 - 5) / 1_000 },
    shape: @escaping @Sendable (_ isHead: Bool, inout Timing) -> Void = { _, _ in }
  ) async throws -> Comparison {
    let log = log
    func side(_ name: String, isHead: Bool, _ plan: Plan) throws -> RunSession {
      let directory = try temporary.begin(plan, in: name)
      let launcher = ScriptedLauncher { request in
        var response = TrialResponse.ordinary(request)
        if request.task == .cost { response.cost?.syncs = isHead ? headSyncs ?? syncs : syncs }
        if request.task == .cost { response.cost?.syncsSettled = isHead ? headSyncs ?? syncs : syncs }
        guard request.task == .timed else { return .answered(response) }
        let launch = log.add(.init(isHead: isHead, cell: request.cell.name, directory: request.directory))
        let nanoseconds = 1_000 * noise(launch) * factor(isHead, request.cell.name) * (1 + (request.slowdown ?? 0))
        var timing = Timing.sample(nanoseconds)
        shape(isHead, &timing)
        response.timing = timing
        return nanoseconds < 0 ? .killed(signal: 11) : .answered(response)
      }
      return RunSession(
        plan: plan, directory: directory, scratch: try Scratch("\(temporary.path)/scratch-\(name)"), catalog: .page,
        launcher: launcher)
    }
    let base = try side("base", isHead: false, plan.base)
    let head = try side("head", isHead: true, plan.head)
    let control = RunDirectory(path: "\(temporary.path)/control")
    try temporary.makeDirectory("control")
    let names = names(plan)
    var runner = PairedRunner(
      plan: plan, base: base, head: head, control: control, margins: try Margins(margins, names: names),
      slowdowns: try inject.map { try Injection.slowdowns($0, names: names) } ?? [:], sampler: machine.sample,
      observer: observer.see)
    let measurements = try await runner.run()
    return try PairedGate(
      plan: plan, measurements: measurements, base: ReportModel(reading: base.directory),
      head: ReportModel(reading: head.directory), names: ("base", "head"), judgesCounts: judgesCounts,
      subject: plan.confirms ? .pairs : .noise
    ).comparison()
  }
}
