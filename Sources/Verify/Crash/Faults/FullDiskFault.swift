import Foundation
import StorageContract

/// A full disk, simulated in three ways: one system call fails, files can grow only a little until the store throws an
/// error, or the store is on a small file system.
struct FullDiskFault: SavingFault {
  static let id = "enospc"
  static let summary = "the disk is full, for one call or until the store reports an error"

  private static let disks = 5
  private static let page = 4096

  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    let calls = rehearsal.drawn(&random) { $0.needsRoom }.prefix(max(1, count / 2)).map { $0.crashCase(id) }
    let growing = Dictionary(grouping: rehearsal.points.filter { $0.growth > 0 }) { $0.position }
      .sorted { $0.key < $1.key }
    guard !growing.isEmpty else { return Array(calls) }
    let fills = (0..<max(1, count - calls.count)).map { index in
      let (position, points) = growing[index % growing.count]
      let needed = points.map(\.growth).reduce(0, +)
      return CrashCase(id, "fill").with("save", position).with("room", random.number(0...max(0, needed - 1)))
    }
    let saves = rehearsal.saves.shuffled(using: &random).prefix(min(disks, max(1, count / 5)))
    let own = saves.map { save in
      CrashCase(id, "disk").with("save", save).with("room", random.number(0...2) * page)
    }
    return calls + fills.unique + own
  }

  static func plan(_ crashCase: CrashCase) throws -> PlannedFault {
    let position = try crashCase.position()
    switch crashCase.kind {
    case "fill": return .call(1, .fill(bytes: try crashCase.number("room")), at: position)
    case "disk": return .disk(room: try crashCase.number("room"), at: position)
    default: return try crashCase.call(.fail(ENOSPC, .kept))
    }
  }

  static func rules(_ subject: CheckedBackend, _ crashCase: CrashCase) -> SavingJudge.Rules {
    SavingJudge.Rules(mayCrash: subject.deviates(from: .fullDisk))
  }
}
