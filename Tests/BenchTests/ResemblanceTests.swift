import StorageContract
import StorageRunFiles
import Testing

@testable import StorageBench

extension PlanBuilderTests {
  @Test func whatIsNotTheEnginesOwnIsEmulated() throws {
    let databases: Set = ["sqlite", "sqlite-queue", "lmdb"]
    let all = databases.union(["plist", "archive", "defaults", "object-graph", "memory"])
    let native: [(String, in: Set<String>)] = [
      ("transfer", databases), ("transfer:threads=4", databases), ("readers-writer", databases),
      ("rollback", databases), ("find-name", databases), ("find-prefix", databases), ("find-range", databases),
      ("page-sorted", databases), ("sections", databases), ("aggregate", databases), ("aggregate:where=app", all),
      ("live-list", ["sqlite-queue"]), ("value-size:do=read", all), ("value-size:do=read:together=10", databases),
      ("save-one", all),
    ]
    for (workload, native) in native {
      for planned in try plan("-b", all.joined(separator: ","), "-w", workload, "-n", "10").cells {
        let id = planned.cell.backend.id
        let expected: Fidelity = id == "object-graph" ? .workAlike : native.contains(id) ? .native : .emulated
        #expect(planned.fidelity == expected, "\(planned.cell.name)")
      }
    }
  }

  @Test func `what stands for Core Data says how far, workload by workload`() throws {
    let plan = try plan(
      "-b", "sqlite,object-graph,object-graph:store=xml", "-w",
      "*,relations:fetch=join,import:by=batch,purge:by=commit,mix:ycsb=c,mix:ycsb=d,mix:read=50:rmw=50,find-text:do=save",
      "-n", "10")
    for cell in plan.cells {
      guard cell.cell.backend.id == "object-graph" else {
        #expect(cell.likeness == nil, "\(cell.cell.name)")
        continue
      }
      // No cell has the placeholder for workloads without a judgement.
      let likeness = try #require(cell.likeness, "\(cell.cell.name)")
      #expect(likeness.source != "not judged", "\(cell.cell.name)")
      #expect(!likeness.reason.isEmpty && !likeness.source.isEmpty && !likeness.reason.hasSuffix("."))
    }
    func likeness(_ workload: String) -> Resemblance? {
      plan.cells.first { $0.cell.name.hasPrefix("object-graph/\(workload)/") }?.likeness
    }
    func shape(_ workload: String) -> Resemblance.Shape? { likeness(workload)?.shape }
    func reason(_ workload: String) -> String? { likeness(workload)?.reason }
    #expect(Set(plan.cells.compactMap(\.likeness?.shape)) == Set(Resemblance.Shape.allCases))
    #expect(shape("save-one") == .holds && shape("relations") == .holds && shape("relations:fetch=join") == .optimistic)
    #expect(shape("read-bytes") == .notComparable)
    #expect(reason("import:by=batch") != reason("import") && reason("purge:by=commit") == reason("cascade"))
    // A source about saves does not apply to other operations.
    #expect(reason("mix") == reason("save-one") && reason("mix:ycsb=d") == reason("insert-one"))
    #expect(reason("mix:ycsb=c") == reason("read-one") && reason("mix:read=50:rmw=50") == reason("save-one"))
    #expect(reason("find-text:do=save") == reason("save-one") && shape("find-text") == .notComparable)
    for workload in ["import:by=batch", "purge"] {
      let planned = plan.cells.first { $0.cell.name.hasPrefix("object-graph:store=xml/\(workload)/") }
      #expect(planned?.likeness?.shape == .notComparable, "\(workload)")
    }
  }

  @Test func `only where an app can choose how links are read it is asked`() throws {
    let plan = try plan("-b", "sqlite,lmdb,object-graph", "-w", "relations,relations:fetch=prefetch", "-n", "10")
    for cell in plan.cells {
      let isRefused = cell.cell.backend.id != "object-graph" && !cell.cell.workload.options.isEmpty
      #expect((cell.refusal?.status == .notAvailable) == isRefused, "\(cell.cell.name)")
    }
  }
}
