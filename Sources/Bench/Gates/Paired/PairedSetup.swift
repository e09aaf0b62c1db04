import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageWorkloads

/// A paired comparison that is ready to run: the plan, the executables and the directories.
struct PairedSetup: Sendable {
  var plan: PairedPlan
  var executables = (base: ProcessInfo.executable, head: ProcessInfo.executable)
  var names = (base: "this build", head: "this build")
  var margins = Margins()
  var slowdowns: [Int: Double] = [:]
  var judgesCounts = false
  var subject = Comparison.Subject.pairs
  /// The directory of the option `--out`; nil for a new directory in `results`.
  private let out: String?
  private let scratch: String?

  /// Plans a comparison of this build with itself, or of `backend` with the backend of `cells`.
  init(_ cells: CellOptions, out: String?, against backend: Spec? = nil) throws {
    (self.out, scratch) = (out, cells.scratch)
    let stores = try OwnedDirectory.absolute(cells.scratch ?? out ?? "results", flag: "--scratch")
    var builder = try PlanBuilder(catalog: .current, cells: cells)
    builder.runHere(in: stores)
    builder.dataset = try Dataset.given(by: cells)
    let whole = try builder.plan()
    plan = PairedPlan(base: whole, head: whole, rounds: cells.rounds)
    if let rounds = cells.rounds, rounds < MedianInterval.fewestValues {
      throw UsageError(
        "--rounds \(rounds): an interval needs at least \(MedianInterval.fewestValues) rounds; give more")
    }
    func reason() -> String { plan.base.cells.first?.refusal.map { ": \($0.note)" } ?? "" }
    guard !plan.runnable.isEmpty else {
      throw UsageError(
        "none of the cells can be run\(reason()); select other cells with -b, -w, -n or --durability")
    }
    guard let backend else { return }
    plan.base.cells = try whole.cells.map { try builder.plannedCell($0.cell.with { $0.backend = backend }) }
    guard !plan.runnable.isEmpty else {
      throw UsageError(
        "none of the cells can be run with \(backend)\(reason()); "
          + "select other cells with -w, -n or --durability, or give another --base-backend")
    }
  }

  /// Compares two builds instead of this one, after a check that both can run the whole plan. If a build cannot take a
  /// separate seed for each round, all rounds get the same operations.
  mutating func takeBuilds(_ base: String?, _ head: String?, allowsDebug: Bool) async throws {
    guard let base, let head else {
      throw UsageError("--base and --head belong together; give the paths of two built executables")
    }
    // An interrupt signal also ends the executables that are being queried.
    let builds = try await Interruption.cancelling {
      try await (BuildProbe(base, flag: "--base"), BuildProbe(head, flag: "--head"))
    }
    for (build, flag) in [(builds.0, "--base"), (builds.1, "--head")] {
      guard allowsDebug || !build.isDebug else {
        throw UsageError("\(flag): \(build.path) is a debug build, whose times are meaningless; build with -c release")
      }
      for index in plan.runnable { try build.check(plan.head.cells[index].cell, flag: flag) }
    }
    if !builds.0.knowsStreams || !builds.1.knowsStreams {
      (plan.base.streamPerRound, plan.head.streamPerRound) = (false, false)
    }
    executables = (builds.0.path, builds.1.path)
    (names, judgesCounts) = ((base, head), true)
  }

  /// Runs and judges the comparison. Returns it with the directory of its files, locked against other processes.
  func run(observer: ProgressDisplay) async throws -> (comparison: Comparison, directory: OwnedDirectory) {
    let claimed = try OutputDirectory.claim(out, kind: subject == .noise ? "-noise" : "-paired")
    // The stores of both builds are removed with this directory, even if the comparison fails.
    let stores = try attempt(
      { try OwnedDirectory.temporary(in: scratch ?? claimed.path) }, undo: claimed.removeIfEmpty)
    defer {
      observer.clear()
      stores.removeAll()
    }
    let base = try side("base", plan.base, executables.base, claimed, stores)
    let head = try side("head", plan.head, executables.head, claimed, stores)
    let control = try RunSession.open(plan.base, at: run("control", in: claimed), sharing: base.scratch)
    let consequence =
      "nothing was judged; start again with a new --out or without it, or see what was measured of the head with "
      + "'report \(ShownFiles.path(URL(fileURLWithPath: claimed.path)))/head'"
    let measurements = try await Interruption.cancelling(consequence) {
      var runner = PairedRunner(
        plan: plan, base: base, head: head, control: control.directory, margins: margins, slowdowns: slowdowns,
        sampler: FitnessProbe(directory: head.scratch.path).sample, observer: observer.see)
      return try await runner.run()
    }
    let samples = try measurements.samples.map { try JSONEncoder.compact.text($0) + "\n" }
    try AtomicFile.write(samples.joined(), to: URL(fileURLWithPath: "\(claimed.path)/probes.jsonl")) { _ in false }
    let comparison = try PairedGate(
      plan: plan, measurements: measurements, base: ReportModel(reading: base.directory),
      head: ReportModel(reading: head.directory), names: names, judgesCounts: judgesCounts, subject: subject
    ).comparison()
    return (comparison, claimed)
  }

  private func side(
    _ name: String, _ plan: Plan, _ executable: String, _ claimed: OwnedDirectory, _ stores: OwnedDirectory
  ) throws -> RunSession {
    var plan = plan
    plan.rounds = self.plan.rounds(syncs: true)
    var session = try RunSession.open(plan, at: try run(name, in: claimed), stores: "\(stores.path)/\(name)")
    session.launcher = ProcessLauncher(executable: executable)
    return session
  }

  private func run(_ name: String, in claimed: OwnedDirectory) throws -> RunDirectory {
    let directory = RunDirectory(path: "\(claimed.path)/\(name)")
    try claimed.makeDirectory(directory.url.path)
    return directory
  }
}
