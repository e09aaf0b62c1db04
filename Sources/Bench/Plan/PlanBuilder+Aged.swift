import StorageContract
import StorageRunFiles
import StorageTrial

/// Which cells can start from an aged store.
extension PlanBuilder {
  /// Why a cell's store cannot have lived through changes, or nil.
  ///
  /// Stores are aged that hold the plain records, as nearly all workloads have them: what other models' records go
  /// through in an app is theirs to say.
  ///
  /// - Throws: ``UsageError`` if the workload does not exist.
  func ageObstacle(_ cell: Cell, isVolatile: Bool) throws -> String? {
    let workload = try catalog.workload(cell.workload)
    if type(of: workload).description.startsEmpty {
      return "\(cell.workload.id) starts with an empty store, which has no age"
    }
    if workload.fixtureName != Self.plainFixture {
      return "\(cell.workload.id) has a model of its own, whose stores are not aged"
    }
    return isVolatile ? "nothing of it is left from one session to the next that could age" : nil
  }

  /// What workloads call the fixture that is just N records.
  private static let plainFixture = StoreEnvironment(directory: "").collections.joined(separator: "-")

  /// Sees that there is something to age where the user asks for it.
  ///
  /// - Throws: ``UsageError`` if no cell can start from an aged store.
  func requireAge(_ planned: [PlannedCell]) throws {
    guard let asked = cells.aged?.first(where: { $0 > 0 }) else { return }
    let obstacles = try planned.filter { $0.cell.aged > 0 }.map { try obstacle(toAge: $0.cell) }
    guard !obstacles.isEmpty, !obstacles.contains(nil) else { return }
    throw UsageError("--aged \(asked): \((obstacles[0] ?? "")); leave --aged out")
  }

  private func obstacle(toAge cell: Cell) throws -> String? {
    let promise = try catalog.backend(cell.backend.id).promise(.shipped, cell.backend.options)
    return try ageObstacle(cell, isVolatile: promise == .level(.volatile))
  }
}
