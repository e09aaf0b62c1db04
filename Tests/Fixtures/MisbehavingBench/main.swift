import Backends
import Bench
import Workloads

await StorageBench.main(backends: Backends.all + Misbehaving.all, workloads: Workloads.all)
