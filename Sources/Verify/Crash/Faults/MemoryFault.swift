import CStorageInstrument
import StorageContract

/// Failing memory allocations in the engine's library: a single allocation, or a series that lasts until the store
/// reports an error.
struct MemoryFault: SavingFault {
  static let id = "memory"
  static let summary = "an allocation of the engine fails, once or until the store reports an error (C libraries only)"
  static let isUsual = false

  private static let lasting = "all"

  static func exemption(_ subject: CheckedBackend) -> String? {
    if ci_counts_allocations() == 0 { return "this build does not count allocations" }
    return subject.library == nil ? "the suite cannot tell the allocations of its engine from others" : nil
  }

  static func lack(_ rehearsal: Rehearsal) -> String { "its engine allocates no memory" }

  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    let all = rehearsal.allocations.flatMap { position, count in
      (0..<count).flatMap { number in
        ["", lasting].map { CrashCase(id, $0).with("save", position).with("allocation", number + 1) }
      }
    }
    return Array(all.shuffled(using: &random).prefix(count))
  }

  static func rules(_ subject: CheckedBackend, _ crashCase: CrashCase) -> SavingJudge.Rules {
    SavingJudge.Rules(mayCrash: subject.deviates(from: .failedAllocations))
  }

  static func plan(_ crashCase: CrashCase) throws -> PlannedFault {
    guard ["", lasting].contains(crashCase.kind) else {
      throw UsageError(Nearest.sentence("kind", crashCase.kind, of: "fault \(id)", among: [lasting]))
    }
    let allocation = max(1, try crashCase.number("allocation"))
    return .memory(allocation: allocation, lasts: crashCase.kind == lasting, at: try crashCase.position())
  }
}
