import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// A run joined from several parts (shards) of one plan. Each measurement is marked with its machine.
struct MergedRun {
  private let directories: [RunDirectory]
  private let plans: [Plan]
  private let environments: [MachineEnvironment]
  /// The name of the machine of each merged run: a hash such as `3f2a9c01` or, with the host name, `3f2a9c01@server`.
  private let machineNames: [String]

  /// Reads the plans of several runs, and checks that the runs are parts of the same plan.
  ///
  /// - Throws: `UsageError` for a directory without a run, with another plan, or with a duplicate benchmark.
  init(_ directories: [RunDirectory]) throws {
    self.directories = directories
    for directory in directories { try directory.check() }
    plans = try directories.map { try $0.plan() }
    let environments = try directories.map { try $0.environment() }
    self.environments = environments
    machineNames = environments.map { one in
      let twins = environments.filter { $0.machine == one.machine }
      return twins.allSatisfy { RunCompatibility.sharesTimes(one, $0) }
        ? one.machine : "\(one.machine)@\(one.host ?? "unknown")"
    }
    for (index, plan) in plans.enumerated().dropFirst() {
      if let (name, one, other) = RunCompatibility.difference((plans[0], environments[0]), (plan, environments[index]))
      {
        throw UsageError(
          "the runs have different plans: the \(name) of \(directories[0].url.path) is \(one), "
            + "that of \(directories[index].url.path) is \(other); merge shards of one plan, made with one build")
      }
    }
    var owners: [String: Int] = [:]
    for (index, plan) in plans.enumerated() {
      for planned in plan.cells {
        if let earlier = owners.updateValue(index, forKey: planned.cell.name) {
          throw UsageError(
            "\(directories[earlier].url.path) and \(directories[index].url.path) both have \(planned.cell.name); "
              + "a cell may come from one run only, so leave out one of the two")
        }
      }
    }
  }

  var missing: [String] {
    let present = Set(plans.compactMap(\.shard))
    guard let count = plans.first?.shard.flatMap(FileNumbers.shard)?.count else { return [] }
    return (1...count).map { "\($0)/\(count)" }.filter { !present.contains($0) }
  }

  var machines: [String] { machineNames.unique }

  var plan: Plan {
    var plan = plans[0]
    plan.shard = nil
    plan.places = nil
    plan.matrix = nil
    plan.command = Program.command
    // The plan of a shard lists only the backends and workloads that its benchmarks use.
    if plans.contains(where: { $0.backends != nil }) {
      plan.backends = plans.flatMap { $0.backends ?? [] }.unique(by: \.name)
    }
    if plans.contains(where: { $0.workloads != nil }) {
      plan.workloads = plans.flatMap { $0.workloads ?? [] }.unique(by: \.name)
    }
    plan.cells = plans.flatMap(\.cells)
    if plans.allSatisfy({ ($0.places ?? []).count >= $0.cells.count }) {
      let places = plans.enumerated().flatMap { run, part in
        (part.places ?? []).prefix(part.cells.count).map { ($0, run) }
      }
      plan.cells = zip(places, plan.cells).sorted { $0.0 < $1.0 }.map(\.1)
    }
    return plan
  }

  private var warnings: [String] {
    var warnings = environments.flatMap(\.warnings).unique
    if machines.count > 1 {
      warnings.append(
        "Merged from runs of \(machines.count) machines (\(machines.joined(separator: ", "))): "
          + "times are ranked within a machine only.")
    }
    // The samples of the machine's speed are not merged, because samples of two machines cannot be compared.
    for (index, directory) in directories.enumerated() {
      if let defect = MachineFitness.defect(directory.probes, allowsFew: true) {
        warnings.append("The machine of \(plans[index].shard ?? directory.name) was not quiet: \(defect).")
      }
    }
    for (directory, environment) in zip(directories, environments).dropFirst() {
      guard let (name, one, other) = RunCompatibility.differenceOfCounts(plan, environments[0], environment) else {
        continue
      }
      warnings.append(
        "Merged from runs with different conditions: \(name) is \(one) in \(directories[0].url.path) and \(other) in "
          + "\(directory.url.path); counts of these cannot be compared.")
      break
    }
    return warnings
  }

  /// Writes the files of the merged run, and returns messages about missing parts; none if the run is complete.
  ///
  /// - Throws: `FileWriteError` if a file cannot be written; `UsageError` if measurements cannot be read.
  func write(to target: RunDirectory) throws -> [String] {
    var wanting: [String] = []
    var environment = environments[0]
    environment.warnings = warnings
    environment.wall = nil
    try target.begin(plan, environment)
    let journal = try Journal(target)
    for (index, directory) in directories.enumerated() {
      let cells = Set(plans[index].cells.map(\.cell))
      var progress = Progress(plan: plans[index])
      let end = try directory.trials.forEach { trial in
        guard cells.contains(trial.cell) else {
          throw UsageError(
            "\(directory.trialsURL.path) has the cell \(trial.cell.name), which plan.json does not list; take both files from the same run"
          )
        }
        progress.note(trial)
        var trial = trial
        trial.machine = machineNames[index]
        try journal.append(trial, synced: false)
      }
      let path = ShownFiles.path(directory.url)
      if end.isTruncated { wanting.append("The last line of \(path)/trials.jsonl is cut off and was dropped.") }
      let estimate = progress.estimate
      if estimate.left > 0 {
        let finish = "\(Program.name) run --resume \(ShellWords.quoted(path))"
        wanting.append(
          "\(path) lacks \(Quantity.counted(estimate.left, "trial")) of \(estimate.total); finish it with: \(finish)")
      }
    }
    try journal.synchronize()
    if machines.count > 1 { try OwnedDirectory.makeDirectory("environments", in: target.url.path) }
    for (name, environment) in zip(machineNames, environments) where machines.count > 1 {
      // Two directories may come from one machine, and then share this file.
      let text = try JSONEncoder.pretty.text(environment) + "\n"
      try AtomicFile.write(text, to: target.url.appendingPathComponent("environments/\(name).json")) {
        $0 == Data(text.utf8) || machineNames.count != machines.count
      }
    }
    if !missing.isEmpty { wanting.append("Not all shards are here: \(missing.joined(separator: ", ")) missing.") }
    return wanting
  }
}
