import Backends
import Bench
import Workloads

await StorageBench.main(backends: Backends.all + [Honest.self] + Misbehaving.all, workloads: Workloads.all)
