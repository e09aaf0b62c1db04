import StorageBackends
import StorageBench
import StorageWorkloads

await BenchmarkSuite.main(backends: Backends.all + [JSONLines.self], workloads: Workloads.all)
