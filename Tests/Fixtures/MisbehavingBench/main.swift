import StorageBackends
import StorageBench
import StorageWorkloads

OwnFault.arm()
await BenchmarkSuite.main(
  backends: Backends.all + [Honest.self, FirstThread.self, Dawdles.self, Varies.self] + Misbehaving.all,
  workloads: Workloads.all)
