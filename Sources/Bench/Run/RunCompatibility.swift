import StorageContract
import StorageReport
import StorageRunFiles

/// Whether figures of two places belong in one run: of a run that is resumed elsewhere, and of shards that are merged.
enum RunCompatibility {
  /// What counts depend on beside the workload: the engines of the plan's backends, and the machine's pages.
  private static func ofCounts(_ plan: Plan, _ environment: MachineEnvironment) -> [(name: String, value: String)] {
    let engines = plan.cells.filter { $0.refusal == nil }.map(\.cell.backend.id).unique
    return engines.map { ($0, environment.engines[$0] ?? "missing") }
      + [
        ("page size", environment.system["page size"] ?? "unknown"),
        ("architecture", environment.build["architecture"] ?? "unknown"),
      ]
  }

  /// Why the counts of a plan's cells would not be the same in another place, or nil if they are: `sqlite is Y there, X
  /// here`.
  static func differenceOfCounts(
    _ plan: Plan, _ one: MachineEnvironment, _ other: MachineEnvironment
  ) -> (name: String, one: String, other: String)? {
    for (left, right) in zip(ofCounts(plan, one), ofCounts(plan, other)) where left.value != right.value {
      return (left.name, left.value, right.value)
    }
    return nil
  }

  /// A plan, and where it was carried out.
  typealias Run = (plan: Plan, environment: MachineEnvironment)

  /// The facts that parts of one run have in common beside the machine, and runs of one plan but for the seed.
  private static func facts(_ run: Run, seeds: Bool) -> [(name: String, value: String)] {
    let (plan, environment) = run
    return (seeds ? [("seed", String(plan.seed))] : []) + [
      ("profile", plan.profile ?? "none"), ("rounds", String(plan.rounds)),
      ("one operation stream per round", String(plan.streamPerRound == true)),
      ("trial time", NumberFormat.time(Double(plan.trialTime))), ("payload", plan.payload),
      ("rate", plan.rate.map { NumberFormat.plain($0) } ?? "none"), ("data set", plan.datasetHash ?? "none"),
      ("once", String(plan.once)), ("number of shards", plan.shard.map { count($0) } ?? "none"),
      ("whole matrix", plan.matrix ?? "unknown"),
      ("cell limit", NumberFormat.time(Double(plan.cellLimit))),
      ("version", environment.build["version"] ?? "unknown"), ("build mode", environment.build["mode"] ?? "unknown"),
    ]
  }

  /// The number of parts of a shard's plan: 4 of `2/4`.
  static func count(_ shard: String) -> String { shard.split(separator: "/").last.map(String.init) ?? shard }

  /// The first difference that keeps two runs from being parts of one, or, without seeds, from being of one plan; nil
  /// without one.
  static func difference(_ one: Run, _ other: Run, seeds: Bool = true) -> (name: String, one: String, other: String)? {
    for (left, right) in zip(facts(one, seeds: seeds), facts(other, seeds: seeds)) where left.value != right.value {
      return (left.name, left.value, right.value)
    }
    return nil
  }

  /// The first difference that keeps two runs from being pooled: all but the seed and the time must be the same. Nil
  /// without one.
  static func differenceOfPools(_ one: Run, _ other: Run) -> (name: String, one: String, other: String)? {
    if let difference = difference(one, other, seeds: false) { return difference }
    let cells = [one, other].map { $0.plan.cells.map(\.cell.name) }
    if cells[0] != cells[1] {
      let odd = cells.enumerated().compactMap { place, names in
        names.first { !cells[1 - place].contains($0) }.map { (place, $0) }
      }.first
      guard let (place, name) = odd else { return ("order of the cells", "one", "another") }
      return ("cell \(name)", place == 0 ? "there" : "missing", place == 0 ? "missing" : "there")
    }
    if !sharesTimes(one.environment, other.environment) {
      return ("machine", one.environment.named, other.environment.named)
    }
    if let difference = differenceOfCounts(one.plan, one.environment, other.environment) { return difference }
    let builds = [one, other].map { $0.environment.build["executable"] ?? "unknown" }
    return builds[0] == builds[1] ? nil : ("build", builds[0], builds[1])
  }

  /// Whether times of two places may be compared. Nodes of a cluster are alike in everything but the name; where one
  /// has none, as in runs of older versions, it is not gone by.
  static func sharesTimes(_ one: MachineEnvironment, _ other: MachineEnvironment) -> Bool {
    guard one.machine == other.machine else { return false }
    guard let here = one.host, let there = other.host else { return true }
    return here == there
  }

  /// Sees that a run can go on in a place.
  ///
  /// - Parameters:
  ///   - path: The run's directory, for messages.
  ///   - begun: Where the run began.
  ///   - here: Where it is to go on.
  /// - Throws: `UsageError` saying what would be mixed, and where the run can be resumed.
  static func require(_ plan: Plan, path: String, begun: MachineEnvironment, here: MachineEnvironment) throws {
    if let (name, then, now) = differenceOfCounts(plan, begun, here) {
      throw UsageError(
        "\(path) cannot be resumed here: \(name) was \(then) where it began and is \(now) now, so that its counts would "
          + "be mixed; resume it where it began, or begin a new run")
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
  /// The machine's hash, with its name where that is known.
  var named: String { host.map { "\(machine) (\($0))" } ?? machine }
}
