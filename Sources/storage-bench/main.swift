import Backends
import Bench
import Workloads

await StorageBench.main(backends: Backends.all, workloads: Workloads.all)
