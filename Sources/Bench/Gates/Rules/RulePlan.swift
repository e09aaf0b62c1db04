import Foundation
import StorageContract
import StorageRunFiles

/// A plan of the benchmarks that the user's rules need. Benchmarks without a rule about times are not timed; only their
/// system calls are counted.
struct RulePlan {
  let rules: [Rule]
  let builder: PlanBuilder

  func plan() throws -> Plan {
    let (cells, rounds) = try cells(rounds: builder.cells.rounds ?? Profile.quick.rounds)
    return Plan(
      command: builder.command, seed: builder.cells.seed ?? 1, rounds: rounds,
      trialTime: builder.cells.trialTime ?? Profile.quick.trialTime,
      cellLimit: builder.cells.cellLimit ?? Plan.usualCellLimit, cells: cells)
  }

  /// Returns the benchmarks that the user's rules need, and the number of timed rounds.
  ///
  /// - Parameter most: The number of rounds to return if a rule limits a time. Without such a rule, the number is 0.
  func cells(rounds most: Int) throws -> (cells: [PlannedCell], rounds: Int) {
    var cells = try plannedCells()
    let names = cells.map(\.cell.name)
    var timed: Set<String> = []
    for rule in rules {
      for name in try rule.judged(among: names, of: "the plan") {
        if let index = names.firstIndex(of: name) { try rule.requireMetric(of: cells[index].cell) }
        if rule.metric.isTimed { timed.formUnion([name] + [rule.other(of: name)].compactMap { $0 }) }
      }
    }
    let rounds = timed.isEmpty ? 0 : most
    for index in cells.indices where rounds > 0 {
      if !timed.contains(names[index]) { cells[index].untimed = "its rules are about counts" }
      cells[index] = try builder.withoutRAMDisk(cells[index], rounds: rounds)
    }
    return (cells, rounds)
  }

  private func plannedCells() throws -> [PlannedCell] {
    var cells: [PlannedCell] = []
    var names: Set<String> = []
    func add(_ pattern: String, _ rule: Rule) throws {
      for planned in try self.cells(pattern, rule) where names.insert(planned.cell.name).inserted {
        cells.append(planned)
      }
    }
    for rule in rules {
      for pattern in rule.patterns { try add(pattern, rule) }
    }
    // A benchmark added for one rule may match another rule, so this repeats until nothing is added.
    var known = 0
    while known < cells.count {
      known = cells.count
      for rule in rules {
        for name in try rule.judged(among: cells.map(\.cell.name), of: "the plan") {
          if let other = rule.other(of: name), !names.contains(other) { try add(other, rule) }
        }
      }
    }
    return cells
  }

  /// Returns the benchmarks that match a pattern such as `sqlite/*/1000/-` (backend/workload/records/durability).
  private func cells(_ pattern: String, _ rule: Rule) throws -> [PlannedCell] {
    do {
      let parts = Rule.parts(pattern)
      var found: [Cell] = []
      for workload in try builder.catalog.workloadSpecs(parts[1]) {
        let description = try builder.catalog.workloadType(workload.id).description
        let durabilities: [Durability?] =
          description.access(workload.options) == .reads ? [nil] : Durability.allCases.map { $0 }
        for backend in try builder.catalog.backendSpecs(parts[0]) {
          for records in try description.records.map({ [$0] }) ?? sizes(parts[2]) {
            for durability in durabilities {
              var cell = Cell(backend: backend, workload: workload, records: records, durability: durability)
              if let cache = description.cache { cell.cache = cache }
              try Self.apply(parts.dropFirst(4), to: &cell)
              try cell.checkNumbers()
              found.append(cell)
            }
          }
        }
      }
      let matching = found.filter { Glob(pattern).matches($0.name) }
      guard !matching.isEmpty else { throw UsageError(matchless: "'\(pattern)'", names: found.map(\.name)) }
      let planned = try matching.map { try builder.plannedCell($0) }
      for cell in planned.map(\.cell) where !Glob.isPattern(parts[0]) {
        let description = try builder.catalog.backend(cell.backend.id).description
        guard let missing = description.missing(for: cell.backend.options) else { continue }
        throw ExitStatus.Failure(ExitStatus.unavailable, "\(cell.name): \(missing)")
      }
      // A wildcard may match sizes that are too large for a backend; those benchmarks are left out.
      return Glob.isPattern(pattern) ? planned.filter { $0.refusal?.status != .skipped } : planned
    } catch  where error is UsageError || error is FieldError {
      throw UsageError("\(rule.location): \(error)")
    }
  }

  private func sizes(_ text: String) throws -> [Int] {
    if let number = Int(text) { return [number] }
    let usual = Profile.quick.blocks.flatMap(\.records).unique
    let sizes = usual.filter { Glob(text).matches("\($0)") }
    guard !sizes.isEmpty else {
      let words = usual.map { "\($0)" }.joined(separator: ", ")
      throw UsageError("'\(text)' is not a number of records; write digits, or * for \(words)")
    }
    return sizes
  }

  private static func apply(_ conditions: some Sequence<String>, to cell: inout Cell) throws {
    for condition in conditions {
      let words = condition.split(separator: "=", maxSplits: 1).map(String.init)
      let value = words.count > 1 ? Quantity.bytes(words[1]) : nil
      switch (words.first, value) {
      case ("cold", nil): cell.cache = .cold
      case ("bytes", let value?): cell.recordBytes = value
      case ("threads", let value?): cell.threads = value
      case ("aged", let value?): cell.aged = value
      case ("memory", let value?): cell.memory = value
      default:
        throw UsageError(
          "'\(condition)' cannot follow the name of a cell; write bytes=B, threads=K, cold, aged=K or memory=SIZE")
      }
    }
  }
}
