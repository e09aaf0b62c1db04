import StorageBackends
import StorageBench
import StorageWorkloads

await BenchmarkSuite.main(backends: Backends.all + [RocksDB.self], workloads: Workloads.all)
