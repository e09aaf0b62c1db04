import StorageContract
import StorageRunFiles
import StorageTrial

extension PlanBuilder {
  /// Returns the reason why a store cannot be aged (changed many times before the measurement). Nil if aging is
  /// possible.
  ///
  /// - Throws: ``UsageError`` if the workload does not exist.
  func ageObstacle(_ cell: Cell, isInMemory: Bool) throws -> String? {
    let workload = try catalog.workload(cell.workload)
    if type(of: workload).description.startsEmpty {
      return "\(cell.workload.id) starts with an empty store, which has no age"
    }
    if workload.fixtureName != Self.plainFixture {
      return "\(cell.workload.id) has its own model, whose stores are not aged"
    }
    return isInMemory ? "nothing of it is left from one session to the next that could age" : nil
  }

  private static let plainFixture = StoreEnvironment(directory: "").collections.joined(separator: "-")

  func requireAge(_ planned: [PlannedCell]) throws {
    guard let asked = cells.aged?.first(where: { $0 > 0 }) else { return }
    let obstacles = try planned.filter { $0.cell.aged > 0 }.map { try ageObstacle($0.cell, isInMemory: $0.isFloor) }
    guard !obstacles.isEmpty, !obstacles.contains(nil) else { return }
    throw UsageError("--aged \(asked): \((obstacles[0] ?? "")); leave --aged out")
  }
}
