import Backends
import Bench
import Workloads

await StorageBench.main(backends: Backends.all + [JSONLines.self], workloads: Workloads.all)
