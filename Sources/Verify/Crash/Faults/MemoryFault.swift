import CStorageInstrument
import StorageContract

/// An allocation of the engine's library that fails: one, or all from there on until the store reports an error.
struct MemoryFault: SavingFault {
  static let id = "memory"
  static let summary = "an allocation of the engine fails, once or until the store reports an error (C libraries only)"
  static let isUsual = false
  static let mustGoOn = true

  private static let lasting = "all"

  static func exemption(_ subject: CheckedBackend) -> String? {
    if let reason = subject.leavesNothing { return reason }
    if ci_counts_allocations() == 0 { return "this build does not count allocations" }
    return library(subject) == nil ? "its engine is not a C library alone" : nil
  }

  static func lack(_ rehearsal: Rehearsal) -> String { "its engine allocates no memory" }

  private static func library(_ subject: CheckedBackend) -> String? {
    subject.type.description.library(subject.options)
  }

  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    guard let library = library(trials.subject) else { return [] }
    var random = SeededRandom(seed: seed)
    let all = rehearsal.allocations.flatMap { place, count in
      (0..<count).flatMap { number in
        ["", lasting].map {
          CrashCase(id, $0).with("save", place).with("allocation", number + 1).with("library", library)
        }
      }
    }
    return Array(all.shuffled(using: &random).prefix(count))
  }

  static func possible(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int) -> [String: Double] {
    let all = 2 * rehearsal.allocations.reduce(0) { $0 + $1.count }
    return all > count ? ["": Double(all)] : [:]
  }

  static func mayCrash(_ subject: CheckedBackend) -> Bool { subject.deviates(from: .failedAllocations) }

  static func plan(_ crashCase: CrashCase) throws -> PlannedFault {
    guard let library = crashCase["library"], library.hasPrefix("lib"), ["", lasting].contains(crashCase.kind) else {
      throw UsageError("case '\(crashCase)' needs library=lib...; copy the case from a report")
    }
    let plan = MemoryPlan(
      library: library, allocation: max(1, try crashCase.number("allocation")), lasts: crashCase.kind == lasting)
    return .memory(plan, at: try crashCase.place())
  }
}
