import Backends
import Bench
import Workloads

await StorageBench.main(
  backends: Backends.all + [
    Crashes.self, Hangs.self, Exits.self, Throws.self, Chatters.self, WrongRecord.self, LosesUpdate.self,
    Forgets.self, Honest.self, Boasts.self, CutsTexts.self, CutsPayloads.self, ScansBackwards.self,
    SwallowsErrors.self, Tears.self, NeedsFile.self, StartsAnew.self, WritesAtClose.self, NeverSyncs.self,
    NeverFails.self, Litters.self, LeaksMemory.self, LeaksDescriptors.self, Miscounts.self, CannotRollBack.self,
    SharesCarelessly.self, ForgetsLinks.self, ForgetsDefaults.self, CompactsTooMuch.self, ReadsHalfDone.self,
    LosesRaces.self, HidesHalf.self, WrongOrder.self, KeepsDeleted.self, ReadsStale.self, MistakesRules.self,
  ],
  workloads: Workloads.all)
