import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads

extension PlanBuilder {
  /// Creates a plan builder for a command that has only the options of ``CellOptions``, such as `check`.
  ///
  /// - Parameter arguments: Further options, written as for the command `run`, such as `--once`.
  init(catalog: Catalog, cells: CellOptions, profile: Profile? = nil, arguments: [String] = []) throws {
    self.init(catalog: catalog, options: try RunOptions.parse(arguments))
    options.cells = cells
    options.profile = profile
  }

  /// Returns the reason why a store cannot be aged (changed many times before the measurement); nil if it can.
  func ageObstacle(_ cell: Cell, isInMemory: Bool) throws -> String? {
    let workload = try catalog.workload(cell.workload)
    if type(of: workload).description.startsEmpty {
      return "\(cell.workload.id) starts with an empty store, which has no age"
    }
    // Only the records of the usual model are aged.
    if workload.fixtureName != StoreEnvironment(directory: "").collections.joined(separator: "-") {
      return "\(cell.workload.id) has its own model, whose stores are not aged"
    }
    return isInMemory ? "nothing of it is left from one session to the next that could age" : nil
  }

  func requireAge(_ planned: [PlannedCell]) throws {
    guard let asked = cells.aged?.first(where: { $0 > 0 }) else { return }
    let obstacles = try planned.filter { $0.cell.aged > 0 }.map { try ageObstacle($0.cell, isInMemory: $0.isFloor) }
    guard !obstacles.isEmpty, !obstacles.contains(nil) else { return }
    throw UsageError("--aged \(asked): \((obstacles[0] ?? "")); leave --aged out")
  }

  /// Returns the reason why a benchmark cannot run with its memory limit; nil if it can run or has no limit.
  func memoryRefusal(_ cell: Cell, _ backend: any StorageBackend.Type, isInMemory: Bool) throws -> String? {
    guard let memory = cell.memory else { return nil }
    guard !isRAMDisk else {
      throw UsageError(
        "--memory \(Quantity.size(memory)): \(scratch) is in memory, so the pages of a store cannot be evicted; "
          + "give --scratch a directory on a disk")
    }
    if isInMemory { return "it has no store on a disk, so a limit of the memory has no use" }
    if backend.description.witness(cell.backend.options) == .daemon {
      return "another process keeps the store, and its memory is not limited"
    }
    return memoryObstacle()
  }
}

extension Dataset {
  /// Reads the data set that the user or, without `--dataset`, the plan of an earlier run names; nil without one.
  static func given(by cells: CellOptions, or repeated: Plan? = nil) throws -> Dataset? {
    guard cells.dataset != nil || cells.map.isEmpty else {
      throw UsageError("--map is only for --dataset; give --dataset, or leave out --map")
    }
    if let path = cells.dataset { return try Dataset(path: path, map: cells.map) }
    return try repeated?.dataset.map { try Dataset(path: $0, map: repeated?.datasetMap ?? []) }
  }
}
