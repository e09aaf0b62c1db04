import StorageContract
import StorageWorkloads

/// The backends and workloads that the program can benchmark, by their names.
package struct Catalog: Sendable {
  package let backends: [any StorageBackend.Type]
  package let workloads: [any Workload.Type]

  package init(backends: [any StorageBackend.Type], workloads: [any Workload.Type]) {
    (self.backends, self.workloads) = (backends, workloads)
  }

  package func backend(_ id: String) throws -> any StorageBackend.Type {
    guard
      let found = backends.first(where: { $0.description.id == id })
        ?? backends.first(where: { $0.description.isNamed(id) })
    else {
      throw UsageError(Nearest.sentence("backend", id, among: backends.map { $0.description.id }))
    }
    return found
  }

  package func workloadType(_ id: String) throws -> any Workload.Type {
    guard let found = workloads.first(where: { $0.description.id == id }) else {
      throw UsageError(Nearest.sentence("workload", id, among: workloads.map { $0.description.id }))
    }
    return found
  }

  package func workload(_ spec: Spec) throws -> any Workload { try workloadType(spec.id).init(options: spec.options) }

  package func countedOperations(of cell: Cell) throws -> Int {
    let kind = try backend(cell.backend.id).description.kind(cell.backend.options)
    return try workload(cell.workload).countedOperations(records: cell.records, kind: kind)
  }
}
