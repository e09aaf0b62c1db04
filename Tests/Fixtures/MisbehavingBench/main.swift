import Foundation
import StorageBackends
import StorageBench
import StorageWorkloads

OwnFault.arm()
let isCostly = ProcessInfo.processInfo.environment["COSTLY"] != nil
await BenchmarkSuite.main(
  backends: isCostly
    ? Backends.all.map { costly($0) }
    : Backends.all + [Honest.self, FirstThread.self, Dawdles.self, Varies.self] + Misbehaving.all,
  workloads: Workloads.all)
