import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageWorkloads

/// A paired comparison that is ready to run: the plan, the executables and the directories.
struct PairedSetup: Sendable {
  var plan: PairedPlan
  var executables: (base: String, head: String)
  var names: (base: String, head: String)
  var margins = Margins()
  /// The artificial slowdowns of the new build in a self-test, by benchmark index: 0.2 makes operations 20 % longer.
  var slowdowns: [Int: Double] = [:]
  var judgesCounts: Bool
  var subject = Comparison.Subject.pairs
  /// The directory of the option `--out`; nil for a new directory in `results`.
  var out: String?
  var scratch: String?

  /// Runs and judges the paired comparison.
  ///
  /// - Returns: The comparison, and the directory of its files, locked against other processes.
  /// - Throws: ``ExitStatus/Failure`` if interrupted; `FileWriteError` if a file cannot be written.
  func run(observer: ProgressDisplay) async throws -> (comparison: Comparison, directory: OwnedDirectory) {
    let claimed = try OutputDirectory.claim(out, kind: subject == .noise ? "-noise" : "-paired")
    // The stores of both builds are removed with this directory, even if the comparison fails.
    let stores = try claimed.removedAfterError { try OwnedDirectory.temporary(in: scratch ?? claimed.path) }
    defer {
      observer.clear()
      stores.removeAll()
    }
    let base = try side("base", plan.base, executables.base, claimed, stores)
    let head = try side("head", plan.head, executables.head, claimed, stores)
    let control = try RunSession.open(plan.base, at: run("control", in: claimed), sharing: base.scratch)
    let sampler = FitnessProbe(directory: head.scratch.path)
    let runner = PairedRunner(
      plan: plan, catalog: .current, base: base, head: head, control: control.directory, margins: margins,
      slowdowns: slowdowns, sampler: sampler, observer: observer)
    let measurements: PairedMeasurements
    do {
      measurements = try await Interruption.cancelling { try await runner.run() }
    } catch is CancellationError {
      throw ExitStatus.Failure(
        ExitStatus.interrupted,
        "interrupted; nothing was judged; start again with a new --out or without it, "
          + "or see what was measured of the head with "
          + "'report \(ShownFiles.path(URL(fileURLWithPath: claimed.path)))/head'")
    }
    try write(measurements.samples, to: URL(fileURLWithPath: "\(claimed.path)/probes.jsonl"))
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

  private func write(_ samples: [ProbeSample], to url: URL) throws {
    let lines = try samples.map { try JSONEncoder.compact.text($0) + "\n" }
    try AtomicFile.write(lines.joined(), to: url) { _ in false }
  }
}

/// The options that the commands `paired` and `noise` share.
struct PairedOptions {
  let cells: CellOptions
  let base: String?
  let head: String?
  let scratch: String

  func plan() throws -> (plan: PairedPlan, builder: PlanBuilder) {
    var builder = try PlanBuilder(catalog: .current, cells: cells)
    builder.runHere(in: scratch)
    builder.dataset = try Dataset.given(by: cells)
    let plan = try builder.plan()
    var paired = PairedPlan(base: plan, head: plan)
    paired.rounds = try cells.rounds.map { rounds in
      guard rounds >= MedianInterval.fewestValues else {
        throw UsageError(
          "--rounds \(rounds): an interval needs at least \(MedianInterval.fewestValues) rounds; give more")
      }
      return rounds
    }
    guard !paired.runnable.isEmpty else {
      let reason = plan.cells.first?.refusal.map { ": \($0.note)" } ?? ""
      throw UsageError(
        "none of the cells can be run\(reason); select other cells with -b, -w, -n or --durability")
    }
    return (paired, builder)
  }

  /// Checks that both builds can run the whole plan, and returns the paths of their executables.
  ///
  /// - Parameter plan: The plan to check. If a build cannot take a separate seed for each round, the plan is changed:
  ///   all rounds have the same operations.
  func executables(_ plan: inout PairedPlan, allowsDebug: Bool) async throws -> (base: String, head: String) {
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
    return (builds.0.path, builds.1.path)
  }
}
