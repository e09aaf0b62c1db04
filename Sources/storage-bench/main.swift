import StorageBackends
import StorageBench
import StorageWorkloads

await BenchmarkSuite.main(backends: Backends.all, workloads: Workloads.all)
