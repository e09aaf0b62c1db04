import Foundation
import StorageContract
import Synchronization

/// Reads lines of `trials.jsonl`, ten times as fast as `JSONDecoder` where a line is as nearly all are: plain numbers,
/// texts without escapes, no field that is not known. Anything else, and whatever is wrong, is left to `JSONDecoder`, so
/// that the two cannot differ in what they accept.
final class TrialLineDecoder: Sendable {
  /// By the bytes of their objects: a run has few cells and many trials.
  private let cells = Mutex<[CellText: Cell]>([:])

  /// Reads a line.
  ///
  /// - Throws: What `JSONDecoder` throws.
  func trial(_ line: Data, _ decoder: JSONDecoder) throws -> Trial {
    if let trial = quickly(line, decoder) { return trial }
    return try decoder.decode(Trial.self, from: line)
  }

  /// The trial, or nil where the line is not an ordinary one.
  func quickly(_ line: Data, _ decoder: JSONDecoder) -> Trial? {
    line.withUnsafeBytes { bytes in
      var json = PlainJSON(bytes)
      return try? trial(&json, decoder)
    }
  }

  private func trial(_ json: inout PlainJSON, _ decoder: JSONDecoder) throws -> Trial {
    var seen = SeenNames()
    var cell: Cell?
    var (pass, status): (Pass?, Status?)
    // What is not optional is overwritten, or the line is refused.
    var trial = Trial(cell: Self.noCell, pass: .once, started: 0, wall: 0, status: .ok)
    try json.object { json, name in
      switch name {
      case "cell":
        try seen.note(0)
        cell = try self.cell(json.rawObject(), decoder)
      case "schema": try seen.note(1, trial.schema = json.integer())
      case "pass": try seen.note(2, pass = Pass(rawValue: json.text()))
      case "started": try seen.note(3, trial.started = json.number())
      case "wall": try seen.note(4, trial.wall = json.number())
      case "status": try seen.note(5, status = Status(rawValue: json.text()))
      case "timed_once": try seen.note(6, trial.timedOnce = json.truth())
      case "resumed": try seen.note(7, trial.resumed = json.truth())
      case "round": try seen.note(8, trial.round = json.integer())
      case "position": try seen.note(9, trial.position = json.integer())
      case "note": try seen.note(10, trial.note = json.text())
      case "in_memory": try seen.note(11, trial.inMemory = json.truth())
      case "settings": try seen.note(12, trial.settings = json.text())
      case "stream_hash": try seen.note(13, trial.streamHash = json.text())
      case "predicted_ns": try seen.note(14, trial.predicted = json.number())
      case "timing": try seen.note(15, trial.timing = json.timing())
      case "cost": try seen.note(16, trial.cost = json.cost())
      case "findings": try seen.note(18, trial.findings = json.array { try $0.finding() })
      case "machine": try seen.note(17, trial.machine = json.text())
      default: throw PlainJSON.Unsupported()
      }
    }
    guard json.isAtEnd, seen.hasFirst(8), let cell, let pass, let status else { throw PlainJSON.Unsupported() }
    (trial.cell, trial.pass, trial.status) = (cell, pass, status)
    return trial
  }

  private static let noCell = Cell(backend: Spec(id: ""), workload: Spec(id: ""), records: 0, durability: nil)

  private func cell(_ bytes: UnsafeRawBufferPointer, _ decoder: JSONDecoder) throws -> Cell {
    let key = CellText(bytes: Data(bytes))
    if let known = cells.withLock({ $0[key] }) { return known }
    var json = PlainJSON(bytes)
    let cell = try (try? json.cell()) ?? decoder.decode(Cell.self, from: key.bytes)
    cells.withLock { $0[key] = cell }
    return cell
  }

  /// A cell's object. `Data` itself is hashed by its first 80 bytes, in which thousands of cells are alike: looking one up
  /// would take time in proportion to them all.
  struct CellText: Hashable, Sendable {
    let bytes: Data

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }
}
