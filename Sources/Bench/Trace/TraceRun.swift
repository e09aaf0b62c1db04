import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageVerify

/// The tracing of a workload's first operations. A child process runs the operations.
struct TraceRun {
  let plan: Plan
  let scratch: Scratch

  /// Traces the operations, and returns a report of the last one's system calls, or of the SQL statements of all.
  ///
  /// - Parameter sqlWidth: The number of characters after which statements are cut; nil to report the system calls.
  func document(sqlWidth: Int?) async throws -> Document {
    let session = RunSession(plan: plan, directory: RunDirectory(path: scratch.path), scratch: scratch)
    let (log, response): (String, TrialResponse)
    do {
      (log, response) = try await TrialRun(session).traced(0, recordsSQL: sqlWidth != nil)
    } catch  where !(error is CancellationError || error is FileWriteError) {
      throw ExitStatus.Failure(ExitStatus.failed, "\(planned.cell.name): \(error.sentence)")
    }
    let words = [circumstances(response)]
    if let sqlWidth {
      return TraceReport.statements(
        title: title, words: words, operations: response.statements ?? [], width: sqlWidth)
    }
    let calls = try CallLog(log).calls
    let operations = (response.spans ?? []).map {
      TraceReport.lines(of: calls, span: $0, store: TrialRequest.storeName)
    }
    return TraceReport(title: title, words: words + [Self.sentence(on: operations)], lines: operations.last ?? [])
      .document
  }

  private var planned: PlannedCell { plan.cells[0] }

  private var title: String {
    let cell = planned.cell
    var parts = ["\(cell.workload) on \(cell.backend)", "\(Quantity.grouped(cell.records)) records"]
    if let durability = cell.durability {
      let level = planned.level.map(\.rawValue)
      parts.append(
        [durability.rawValue, level == durability.rawValue ? nil : level].compactMap { $0 }.joined(separator: " = "))
    }
    return parts.joined(separator: ", ")
  }

  private func circumstances(_ response: TrialResponse) -> String {
    let files = Linux.fileSystemInWords(of: scratch.path).map { "files on \($0)" }
    return [planned.engineVersion, response.settings ?? "", files ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
  }

  static func sentence(on operations: [[TraceReport.Line]]) -> String {
    let ordinals = ["first", "second", "third", "fourth"]
    guard operations.count > 1, operations.count <= ordinals.count else { return "Shown: the only operation." }
    let shown = "Shown: the \(ordinals[operations.count - 1]) operation"
    let shapes = operations.map { $0.map(\.shape) }
    if Set(shapes).count == 1 {
      return operations.count == 2
        ? "\(shown); the first makes the same calls."
        : "\(shown); those before it make the same calls."
    }
    guard Set(shapes.dropFirst()).count == 1 else {
      let counts = shapes.map { Quantity.grouped($0.count) }
      return
        "\(shown); the operations make \(counts.dropLast().joined(separator: ", ")) and \(counts.last ?? "") calls."
    }
    let like = operations.count == 2 ? "" : ", like the second"
    let difference = shapes[0].difference(from: shapes[1])
    let more = difference.insertions.compactMap { change -> String? in
      guard case .insert(let index, _, _) = change else { return nil }
      return operations[0][index].phrase
    }
    if more.isEmpty {
      let fewer = difference.removals.count
      return "\(shown)\(like); the first makes \(fewer) call\(fewer == 1 ? "" : "s") less."
    }
    let named = more.prefix(6).joined(separator: ", ") + (more.count > 6 ? " and \(more.count - 6) more" : "")
    return "\(shown)\(like); only the first also does: \(named)."
  }
}
