import Foundation
import StorageBackends
import StorageContract
import StorageReport
import StorageRunFiles
import Testing

/// The backends for tests of all backends: those that are installed, and fast enough for any number of records.
enum Tried {
  static let backends = Backends.all.filter { $0.description.missing() == nil && $0.description.mostRecords == nil }
  /// The value of `-b`.
  static let list = backends.map { $0.description.id }.joined(separator: ",")
}

extension Workplace {
  /// Runs workloads on several backends. Expects the same operations and the same final state of all that keep one.
  ///
  /// - Parameter mayLack: Returns whether the cell of a row may be one that its backend cannot run.
  func agree(
    on workloads: [String], _ flags: String..., backends: String = Tried.list,
    mayLack: ([String: String]) -> Bool = { _ in false }
  ) async throws -> Results {
    let cells = ["-b", backends, "-w", workloads.joined(separator: ",")]
    let results = try await run(cells + flags.flatMap(\.words), into: "run")
    #expect(results.rows.count == backends.split(separator: ",").count * workloads.count)
    for row in results.rows where row["status"] != "ok" {
      #expect(row["status"] == "n/a" && mayLack(row), "\(Results.name(row)): \(row["note"] ?? "")")
    }
    let rows = results.rows.filter { $0["status"] == "ok" }
    for (workload, rows) in Dictionary(grouping: rows, by: { "\($0["workload"]!) on \($0["threads"]!)" }) {
      #expect(Set(rows.map { $0["stream_hash"] }).count == 1, "\(workload)")
      let digests = Set(rows.filter { $0["backend"] != "null" }.map { $0["digest"] })
      #expect(digests.count == 1 && !digests.contains(""), "\(workload)")
      #expect(rows.allSatisfy { $0["backend"] != "null" || $0["digest"] == "" }, "\(workload)")
    }
    return results
  }
}

/// The files that a run has written.
struct Results {
  let path: String
  /// The rows of `summary.csv`, by column.
  let rows: [[String: String]]
  /// The lines of `trials.jsonl`.
  let trials: [Trial]

  init(_ path: String) throws {
    self.path = path
    let text = try String(contentsOfFile: "\(path)/summary.csv", encoding: .utf8)
    let table = try DelimitedText.rows(text, file: path)
    let header = try #require(table.first).fields
    rows = table.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0.fields)) }
    trials = try Self.trials(path)
  }

  static func trials(_ path: String) throws -> [Trial] {
    var trials: [Trial] = []
    _ = try RunDirectory(path: path).trials.forEach { trials.append($0) }
    return trials
  }

  /// Returns the row of a cell named `BACKEND/WORKLOAD/RECORDS/DURABILITY`, with `/aged=K` if it is aged.
  func row(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: String] {
    try #require(rows.first { Self.name($0) == name }, "no row \(name)", sourceLocation: sourceLocation)
  }

  static func name(_ row: [String: String]) -> String {
    let durability = row["durability"].flatMap { $0.isEmpty ? nil : $0 } ?? "-"
    let age = row["aged"].flatMap { $0.isEmpty || $0 == "0" ? nil : "/aged=\($0)" } ?? ""
    return "\(backend(row))/\(row["workload"] ?? "")/\(row["records"] ?? "")/\(durability)\(age)"
  }

  /// Returns the backend of a row with its options.
  static func backend(_ row: [String: String]) -> String {
    [row["backend"], row["options"]].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ":")
  }

  /// The names of all cells.
  var names: Set<String> { Set(rows.map(Self.name)) }

  /// The cell, pass and round of every trial.
  var trialKeys: [String] { Self.keys(trials) }

  static func keys(_ trials: [Trial]) -> [String] {
    trials.map { "\($0.cell.name) \($0.pass.rawValue) \($0.round ?? 0)" }.sorted()
  }
}

extension [String: String] {
  /// Returns the number that the trials of a row have reported under a name.
  func finding(_ name: String) -> Double? {
    let words = self["findings"]?.split(separator: " ").map { $0.split(separator: "=") } ?? []
    return words.first { $0.count == 2 && $0[0] == name }.flatMap { Double($0[1]) }
  }

  /// Returns the value of a column that must hold a whole number.
  func number(_ column: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
    try #require(
      self[column].flatMap { Int($0) }, "\(column) of \(Results.name(self)) is '\(self[column] ?? "")'",
      sourceLocation: sourceLocation)
  }
}
