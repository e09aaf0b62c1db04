import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// What each commit changed in a `costs.csv`, read from git's own history of the file: no server, no store of its own.
struct CostHistory {
  /// The file, as the user named it.
  let path: String
  /// Runs git with arguments in the file's directory; nil where it fails.
  var git: ([String]) throws -> String?

  init(path: String) {
    self.path = path
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
    git = { try Self.git($0, in: directory) }
  }

  /// A line's fields, which are separated by a character that no message has.
  private static func fields(_ line: Substring) -> [String] {
    line.split(separator: "\u{1F}", omittingEmptySubsequences: false).map { String($0) }
  }

  /// The history, the oldest commit first.
  ///
  /// - Throws: `UsageError` where the file is missing or has no history; ``ExitStatus/Failure`` where git is missing.
  func read() throws -> CountHistory {
    guard FileManager.default.fileExists(atPath: path) else {
      throw UsageError("\(path) does not exist; name a costs file that is committed")
    }
    let name = URL(fileURLWithPath: path).lastPathComponent
    // The oldest first.
    guard let log = try git(["log", "--reverse", "--format=%H%x1f%h%x1f%cs%x1f%s", "--", name]) else {
      throw UsageError("git does not tell the history of \(path); see why with 'git log' in its directory")
    }
    let commits = log.split(separator: "\n").map(Self.fields).filter { $0.count == 4 }
    guard !commits.isEmpty else {
      throw UsageError("\(path) has no history: no commit of its repository has it; commit it first")
    }
    var last: CostFile?
    let steps = try commits.map { commit in
      var step = CountHistory.Step(revision: commit[1], date: commit[2], subject: commit[3])
      guard let text = try git(["show", "\(commit[0]):./\(name)"]) else {
        step.notes = ["the file was removed"]
        step.removed = last?.lines.map(\.cell.name) ?? []
        last = nil
        return step
      }
      do {
        let file = try CostFile.parse(text, path: name)
        Self.compare(last, file, &step)
        last = file
      } catch let error as UsageError {
        step.notes = ["not readable: \(error.description)"]
      }
      return step
    }
    return CountHistory(path: name, steps: steps)
  }

  /// What differs between two versions of the file; without an earlier one all cells are new.
  static func compare(_ base: CostFile?, _ head: CostFile, _ step: inout CountHistory.Step) {
    let before = Dictionary((base?.lines ?? []).map { ($0.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Set(head.lines.map(\.cell.name))
    step.added = head.lines.map(\.cell.name).filter { before[$0] == nil }
    step.removed = (base?.lines ?? []).map(\.cell.name).filter { !after.contains($0) }
    step.changes = head.lines.flatMap { line -> [CountHistory.Step.Change] in
      guard let old = before[line.cell.name] else { return [] }
      return Measure.committed.compactMap { metric in
        guard let mine = line.counts[metric.name], let earlier = old.counts[metric.name],
          mine * old.operations != earlier * line.operations
        else { return nil }
        return .init(
          cell: line.cell.name,
          count: CountChange(
            metric: metric.name, unit: metric.comparedUnit, operations: line.operations, base: earlier, head: mine,
            tolerance: 0
          ),
          operationsBefore: old.operations)
      }
    }
    guard let base else { return }
    let facts = base.header.facts.merging(base.header.engines) { first, _ in first }
    let now = head.header.facts.merging(head.header.engines) { first, _ in first }
    step.notes = Set(facts.keys).union(now.keys).sorted().filter { facts[$0] != now[$0] }.map { name in
      "\(name): \(facts[name] ?? "none") -> \(now[name] ?? "none")"
    }
  }

  private static func git(_ arguments: [String], in directory: URL) throws -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", directory.path] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw ExitStatus.Failure(ExitStatus.unavailable, "git cannot be started: \(error); install git")
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationStatus == 127 {
      throw ExitStatus.Failure(ExitStatus.unavailable, "git is not installed; install it: apt-get install git")
    }
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }
}
