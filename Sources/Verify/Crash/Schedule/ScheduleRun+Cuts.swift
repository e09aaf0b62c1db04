import Foundation
import StorageContract

// Power cuts while two processes use a store.
extension ScheduleRun {
  /// Returns the path of the log of one process's system calls.
  func callLog(_ process: Int) -> String {
    URL(fileURLWithPath: environment.directory).deletingLastPathComponent().path + "/calls-\(process)"
  }

  /// Simulates power cuts during the last run of the two processes that use the store. Inspects the store after each
  /// cut.
  ///
  /// - Parameters:
  ///   - only: The only disk state (files left by a power cut) to inspect; nil for all disk states.
  ///   - crashCase: The crash-test case that error messages name.
  /// - Returns: The number of different disk states that were inspected, and the flaws, each with a description of its
  ///   power cut. The inspection ends after the first flaw that breaks a guarantee.
  func cutPower(
    _ only: NamedCut?, of crashCase: CrashCase, seed: UInt64
  ) throws -> (states: Int, flaws: [(cut: NamedCut, flaw: CrashFlaw, sentence: String)]) {
    defer { acknowledged = nil }
    let (log, savers) = try lastLog()
    var replay = CutReplay(log)
    var seen: Set<CutContent> = []
    var cuts: (states: Int, flaws: [(cut: NamedCut, flaw: CrashFlaw, sentence: String)]) = (0, [])
    for cut in only.map({ [$0.cut] }) ?? Array(0...log.steps.count) {
      let states = try only.map { [try $0.state(in: log, of: crashCase)] } ?? log.states(at: cut, .short, seed: seed)
      let before = savers.prefix(log.acknowledged[cut])
      let saves = (0..<2).map { process in before.count { $0 == process } }
      for state in states {
        let left = replay.files(state)
        guard seen.insert(CutContent(files: left.fingerprint, saves: saves)).inserted else { continue }
        try leave(left)
        acknowledged = saves
        cuts.states += 1
        guard var flaw = inspect() else { continue }
        // At weaker safety levels, a power cut may leave anything.
        flaw.isBroken = flaw.isBroken && level >= .intact
        cuts.flaws.append((NamedCut(log, state), flaw, log.sentence(state)))
        if flaw.isBroken || only != nil {
          // The inspection has changed the files.
          try leave(left)
          return cuts
        }
      }
    }
    return cuts
  }

  /// Returns the system calls of the two processes, sorted by end time, and the process (0 or 1) that made each
  /// acknowledged save.
  private func lastLog() throws -> (log: DiskLog, savers: [Int]) {
    let calls = try (0..<2).flatMap { process in
      try CallLog(callLog(process)).calls.map { (process: process, call: $0) }
    }.sorted { $0.call.ended < $1.call.ended }
    let trace = DiskTrace(base: filesBefore ?? ReplayedFiles(), calls: calls.map(\.call))
    return (try DiskLog(trace, .judged), calls.filter(\.call.acknowledges).map(\.process))
  }

  /// Replaces the files in the store's directory by the files of a disk state.
  private func leave(_ files: ReplayedFiles) throws {
    try DirectoryFiles.empty(environment.directory)
    try files.write(to: environment.directory)
  }
}
