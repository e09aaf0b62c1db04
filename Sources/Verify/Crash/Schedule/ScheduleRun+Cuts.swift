import CStorageInstrument
import Foundation
import StorageContract

/// A disk state with a flaw that a power cut during a schedule left.
struct CutFlaw {
  var cut: NamedCut
  var flaw: ScheduleFlaw
  /// A description of the power cut, such as `The power goes after ...`.
  var sentence: String
}

/// The result of inspecting the disk states that a power cut during a schedule may leave.
struct InspectedCuts {
  /// The number of inspected states. They differ in their files or in the saves that were acknowledged before the cut.
  var states = 0
  /// The states with a flaw. Only the last one may break a promise, because it ends the inspection.
  var flaws: [CutFlaw] = []
}

// Power cuts while two processes use a store.
extension ScheduleRun {
  /// Returns the path of the log of a process's calls. The log is outside the store's directory.
  func callLog(_ process: Int) -> String {
    URL(fileURLWithPath: environment.directory).deletingLastPathComponent().path + "/calls-\(process)"
  }

  /// Inspects the disk states that a power cut during the last schedule may leave, by the rules of ``DiskModel/judged``.
  ///
  /// - Parameters:
  ///   - only: The state to inspect; nil for all states.
  ///   - crashCase: The case of the schedule, which an error names.
  func cutPower(_ only: NamedCut?, of crashCase: CrashCase, seed: UInt64) throws -> InspectedCuts {
    struct Seen: Hashable {
      var files: Int
      var acknowledged: [Int]
    }
    defer { acknowledged = nil }
    let (log, savers) = try lastLog()
    var replay = CutReplay(log)
    var seen: Set<Seen> = []
    var cuts = InspectedCuts()
    for cut in try only.map({ [$0.cut] }) ?? Array(0...log.steps.count) {
      let states = try only.map { [try $0.state(in: log, of: crashCase)] } ?? log.states(at: cut, .short, seed: seed)
      let before = savers.prefix(log.acknowledged[cut])
      let saves = (0..<2).map { process in before.count { $0 == process } }
      for state in states {
        let left = replay.files(state)
        guard seen.insert(Seen(files: left.fingerprint, acknowledged: saves)).inserted else { continue }
        try leave(left)
        acknowledged = saves
        cuts.states += 1
        guard var flaw = inspect() else { continue }
        // At weaker levels, a power cut may leave anything.
        flaw.isBroken = flaw.isBroken && level >= .intact
        cuts.flaws.append(CutFlaw(cut: NamedCut(log, state), flaw: flaw, sentence: log.sentence(state)))
        if flaw.isBroken || only != nil {
          // The inspection has changed the files.
          try leave(left)
          return cuts
        }
      }
    }
    return cuts
  }

  /// Returns the calls of both processes in the last schedule, in the order in which they ended, and the process of each
  /// acknowledged save, in order. Only one process runs at a time, so the order is exact.
  private func lastLog() throws -> (log: DiskLog, savers: [Int]) {
    let calls = try (0..<2).flatMap { process in
      try CallLog(callLog(process)).calls.map { (process: process, call: $0) }
    }.sorted { $0.call.ended < $1.call.ended }
    let trace = DiskTrace(base: filesBefore ?? ReplayedFiles(), calls: calls.map(\.call))
    return (try DiskLog(trace, .judged), calls.filter(\.call.acknowledges).map(\.process))
  }

  /// Replaces the files of the store.
  private func leave(_ files: DiskFiles) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: environment.directory) {
      try FileManager.default.removeItem(atPath: environment.path(name))
    }
    try files.write(to: environment.directory)
  }
}
