import StorageContract

extension PlanBuilder {
  /// Returns the reason why a benchmark cannot run with its memory limit; nil if it can run or has no limit.
  ///
  /// - Throws: ``UsageError`` if the stores are on a RAM disk, because its pages cannot be evicted.
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
