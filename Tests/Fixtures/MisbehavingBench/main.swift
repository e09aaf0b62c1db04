import Backends
import Bench
import Workloads

await StorageBench.main(
  backends: Backends.all + [
    Crashes.self, Hangs.self, Exits.self, Throws.self, Chatters.self, WrongRecord.self, LosesUpdate.self,
    Forgets.self,
  ],
  workloads: Workloads.all)
