import StorageContract
import StorageReport
import StorageRunFiles

enum RunCompatibility {
  typealias Run = (plan: Plan, environment: MachineEnvironment)
  typealias Difference = (name: String, one: String, other: String)
  private typealias Fact = (name: String, value: String)

  private static func difference(_ one: [Fact], _ other: [Fact]) -> Difference? {
    zip(one, other).first { $0.value != $1.value }.map { ($0.name, $0.value, $1.value) }
  }

  static func differenceOfCounts(
    _ plan: Plan, _ one: MachineEnvironment, _ other: MachineEnvironment
  ) -> Difference? {
    let engines = plan.cells.filter { $0.refusal == nil }.map(\.cell.backend.engine).unique
    func facts(_ environment: MachineEnvironment) -> [Fact] {
      engines.map { ($0, environment.engines[$0] ?? "missing") } + [
        ("page size", environment.system["page size"] ?? "unknown"),
        ("architecture", environment.build["architecture"] ?? "unknown"),
      ]
    }
    return difference(facts(one), facts(other))
  }

  /// Returns the facts that must be equal in two runs whose measurements are combined.
  private static func facts(_ run: Run, seeds: Bool) -> [Fact] {
    let (plan, environment) = run
    return (seeds ? [("seed", String(plan.seed))] : []) + [
      ("profile", plan.profile ?? "none"), ("rounds", String(plan.rounds)),
      ("one operation stream per round", String(plan.streamPerRound == true)),
      ("trial time", NumberFormat.time(Double(plan.trialTime))), ("payload", plan.payload),
      ("rate", plan.rate.map { NumberFormat.plain($0) } ?? "none"), ("data set", plan.datasetHash ?? "none"),
      ("once", String(plan.once)),
      ("number of shards", plan.shard.flatMap(FileNumbers.shard).map { "\($0.count)" } ?? "none"),
      ("whole matrix", plan.matrix ?? "unknown"),
      ("cell limit", NumberFormat.time(Double(plan.cellLimit))),
      ("version", environment.build["version"] ?? "unknown"), ("build mode", environment.build["mode"] ?? "unknown"),
    ]
  }

  static func difference(_ one: Run, _ other: Run, seeds: Bool = true) -> Difference? {
    difference(facts(one, seeds: seeds), facts(other, seeds: seeds))
  }

  /// Returns the first difference that prevents combining two runs in one report; nil if there is none. Seeds may
  /// differ.
  static func differenceOfPools(_ one: Run, _ other: Run) -> Difference? {
    if let difference = difference(one, other, seeds: false) { return difference }
    let (names, others) = (one.plan.cells.map(\.cell.name), other.plan.cells.map(\.cell.name))
    if names != others {
      if let name = names.first(where: { !others.contains($0) }) { return ("cell \(name)", "there", "missing") }
      if let name = others.first(where: { !names.contains($0) }) { return ("cell \(name)", "missing", "there") }
      return ("order of the cells", "one", "another")
    }
    if !sharesTimes(one.environment, other.environment) {
      return ("machine", one.environment.named, other.environment.named)
    }
    if let difference = differenceOfCounts(one.plan, one.environment, other.environment) { return difference }
    let builds = [one, other].map { $0.environment.build["executable"] ?? "unknown" }
    return builds[0] == builds[1] ? nil : ("build", builds[0], builds[1])
  }

  /// Returns whether two environments are of the same machine. Their machine hashes must be equal. Their host names
  /// must be equal if both are known.
  static func sharesTimes(_ one: MachineEnvironment, _ other: MachineEnvironment) -> Bool {
    one.machine == other.machine && (one.host == nil || other.host == nil || one.host == other.host)
  }

  static func require(_ plan: Plan, path: String, begun: MachineEnvironment, here: MachineEnvironment) throws {
    if let (name, then, now) = differenceOfCounts(plan, begun, here) {
      throw UsageError(
        "\(path) cannot be resumed here: the run began with \(name) \(then), here it is \(now), so the counts would "
          + "differ; resume it where it began, or begin a new run")
    }
    if let then = begun.build["executable"], let now = here.build["executable"], then != now {
      throw UsageError(
        "\(path) cannot be resumed with this build: it began with another executable (\(then), this is \(now)), and "
          + "figures of two builds do not belong in one run; resume it with that one, or begin a new run")
    }
    if plan.rounds > 0, !plan.once, !sharesTimes(begun, here) {
      throw UsageError(
        "\(path) cannot be resumed here: it began on machine \(begun.named), this is \(here.named), and times of two "
          + "machines do not belong in one run; resume it there, or begin a new run")
    }
  }
}

extension MachineEnvironment {
  var named: String { host.map { "\(machine) (\($0))" } ?? machine }
}
