import Foundation

/// A finished run as a program of others reads it: its files are parsed without the code that wrote them.
struct FinishedRun {
  /// The error for a file that cannot be read.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  /// A line of `summary.csv`, by column.
  struct Row {
    var fields: [String: String]

    func text(_ column: String) -> String { fields[column] ?? "" }
    func number(_ column: String) -> Double? { Double(text(column)) }
    /// The backend with its options, such as `sqlite:journal=delete`.
    var backend: String { text("backend") + (text("options").isEmpty ? "" : ":" + text("options")) }
    /// The duration of an operation in nanoseconds; for a mix, the mean.
    var time: Double? { number("p50_ns") ?? number("ops_per_s").map { 1e9 / $0 } }
    /// Returns a finding of the workload.
    func finding(_ name: String) -> Double? {
      text("findings").split(separator: " ").first { $0.hasPrefix("\(name)=") }.flatMap {
        Double($0.dropFirst(name.count + 1))
      }
    }
    /// Returns a count per counted operation.
    func perOperation(_ column: String) -> Double? {
      guard let count = number(column), let operations = number("counted_operations"), operations > 0 else {
        return nil
      }
      return count / operations
    }
    var isTimed: Bool { text("status") == "ok" && time != nil }
    /// The rank of the level, from 0 for the least safe one, also if there is no level.
    var safety: Int { MatrixCheck.levels.firstIndex(of: text("level")) ?? 0 }
    /// The name of the cell, as in the titles of figures.
    var cell: String {
      var parts = [backend, text("workload"), text("records"), text("durability").isEmpty ? "-" : text("durability")]
      if text("record_bytes") != "100" { parts.append("bytes=\(text("record_bytes"))") }
      if text("threads") != "1" { parts.append("threads=\(text("threads"))") }
      if text("cache") == "cold" { parts.append("cold") }
      if let aged = number("aged"), aged > 0 { parts.append("aged=\(text("aged"))") }
      if let memory = number("memory") { parts.append("memory=\(Int(memory) >> 20)MiB") }
      return parts.joined(separator: "/")
    }
  }

  /// The measurements of one timed trial.
  struct Trial {
    var typical: Double
    var mean: Double
    var resolution: Double
    var operations: Double
    /// The number of operations per batch; nil if they were timed one by one.
    var batch: Double?
    /// Whether operations were started on a schedule.
    var isScheduled: Bool
    /// The Base64 encoding of pairs (difference from the last value, count), with seven bits a byte, the lowest first;
    /// empty for none.
    var histogram: String

    /// The latencies of single operations in nanoseconds, each with its count.
    var latencies: [(value: Double, count: Double)] {
      var numbers: [Int] = []
      var (number, factor) = (0, 1)
      for byte in Data(base64Encoded: histogram) ?? Data() {
        number += Int(byte % 128) * factor
        factor &*= 128
        if byte < 128 {
          numbers.append(number)
          (number, factor) = (0, 1)
        }
      }
      var value = 0
      return stride(from: 0, to: numbers.count - 1, by: 2).map { index in
        value += numbers[index]
        return (Double(value), Double(numbers[index + 1]))
      }
    }
  }

  var rows: [Row]
  /// The timed trials by cell and round.
  var trials: [String: [Int: Trial]] = [:]
  /// The cells with a trial that was timed once.
  private var slow: Set<String> = []
  /// The cells that were timed only once.
  var once: Set<String> { slow.filter { trials[$0]?.count == 1 } }
  /// The backends that the plan declares as floors, which are shown without a rank.
  var floors: Set<String> = []
  /// The workloads by the name of their operation in the answer, such as `a save`.
  var workloads: [String: String] = [:]
  var page: ParsedReport
  var markdown: String
  var json: [String: Any]
  /// The text that the terminal showed. Empty if it is unknown.
  var terminal: String
  /// The help of each command of `storage-bench`, by name. Empty if it is unknown.
  var commands: [String: String]

  /// Reads a run's directory.
  ///
  /// - Throws: ``Unreadable`` with the name of a file that is missing or invalid.
  init(_ directory: URL, terminal: String = "", commands: [String: String] = [:]) throws {
    func text(_ name: String) throws -> String {
      guard let data = try? Data(contentsOf: directory.appendingPathComponent(name)) else {
        throw Unreadable(description: "\(directory.path) has no readable \(name); name the directory of a finished run")
      }
      return String(decoding: data, as: UTF8.self)
    }
    self.commands = commands
    rows = Self.rows(try text("summary.csv"))
    let plan = Self.object(try text("plan.json"))
    let ids = Self.ids(plan)
    self.terminal = Self.naming(Self.unwrapped(terminal, ids), ids)
    page = ParsedReport(html: Self.naming(try text("report.html"), ids))
    if let problem = page.problem { throw Unreadable(description: "report.html is \(problem)") }
    markdown = Self.naming(try text("report.md"), ids)
    // A run writes this file only on request.
    let report = try? text("report.json")
    guard let object = Self.object(report.map { Self.naming($0, ids) } ?? "{}") else {
      throw Unreadable(
        description: "\(directory.path)/report.json is no JSON object; write it again with storage-bench report -f json"
      )
    }
    json = object
    for planned in plan?["cells"] as? [[String: Any]] ?? [] where planned["isFloor"] as? Bool == true {
      guard let cell = planned["cell"] as? [String: Any] else { continue }
      floors.insert(Row(fields: cell.mapValues { "\($0)" }).backend)
    }
    for planned in plan?["workloads"] as? [[String: Any]] ?? [] {
      guard let name = planned["name"] as? String, let words = planned["words"] as? [String: Any],
        let operation = words["operation"] as? String
      else { continue }
      workloads[operation] = name
    }
    for line in try text("trials.jsonl").split(separator: "\n") { add(Self.object(line) ?? [:]) }
  }

  /// Returns the object in a JSON text. Nil if there is none.
  static func object(_ text: some StringProtocol) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
  }

  /// Returns the rows of a `summary.csv`. No field has a line break, and the first one of a line is never empty.
  static func rows(_ text: String) -> [Row] {
    let table = text.split(separator: "\n").map { line in
      line.matches(of: /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/).map { field in
        (field.1?.replacing("\"\"", with: "\"") ?? field.2).map(String.init) ?? ""
      }
    }
    return table.dropFirst().map { line in
      Row(fields: Dictionary(zip(table[0], line), uniquingKeysWith: { first, _ in first }))
    }
  }

  /// Returns the ids of backends by their names for readers.
  private static func ids(_ plan: [String: Any]?) -> [(name: String, id: String)] {
    var ids: [String: String] = [:]
    for backend in plan?["backends"] as? [[String: Any]] ?? [] {
      guard let spec = backend["name"] as? String, let look = backend["appearance"] as? [String: Any],
        let name = look["name"] as? String
      else { continue }
      ids[name] = String(spec.prefix { $0 != ":" })
    }
    return ids.map { ($0.key, $0.value) }.sorted { $0.name.count > $1.name.count }
  }

  /// Removes the line breaks within names.
  private static func unwrapped(_ text: String, _ ids: [(name: String, id: String)]) -> String {
    ids.reduce(text) { text, pair in
      let words = pair.name.split(separator: " ").map { NSRegularExpression.escapedPattern(for: String($0)) }
      guard words.count > 1, let name = try? Regex(words.joined(separator: "\\s+")) else { return text }
      return text.replacing(name, with: pair.name)
    }
  }

  /// Replaces names for readers by ids: `SQLite journal=wal` is `sqlite:journal=wal` in `summary.csv`.
  private static func naming(_ text: String, _ ids: [(name: String, id: String)]) -> String {
    var text = text
    for (name, id) in ids {
      text = text.replacing(name, with: id)
      guard let options = try? Regex("\\b\(id) ((?:[a-z-]+=[^\\s,;:<)\"`]+)(?::[a-z-]+=[^\\s,;:<)\"`]+)*)") else {
        continue
      }
      text = text.replacing(options) { "\(id):\($0.output[1].substring ?? "")" }
    }
    return text
  }

  private mutating func add(_ trial: [String: Any]) {
    guard trial["pass"] as? String == "timed", trial["status"] as? String == "ok",
      let cell = trial["cell"] as? [String: Any], let timing = trial["timing"] as? [String: Any],
      let round = trial["round"] as? Int
    else { return }
    func number(_ name: String) -> Double? { (timing[name] as? NSNumber)?.doubleValue }
    let name = Row(fields: cell.mapValues { "\($0)" }).cell
    guard let elapsed = number("elapsed"), let operations = number("operations"), operations > 0 else { return }
    let (mean, batch) = (elapsed / operations, number("batch"))
    trials[name, default: [:]][round] = Trial(
      typical: number("p50") ?? mean, mean: mean, resolution: batch == nil ? number("clock") ?? 0 : 2,
      operations: operations, batch: batch, isScheduled: number("rate") != nil,
      histogram: timing["histogram"] as? String ?? "")
    if trial["timed_once"] as? Bool == true { slow.insert(name) }
  }

  /// Returns the row of a backend with the name on a page.
  ///
  /// - Parameter work: The columns that must agree. `durability` may also be `shipped`.
  func row(_ name: String, _ work: [String: String]) -> Row? {
    let backend = name.replacing("^", with: "")
    func first(_ work: [String: String]) -> Row? {
      rows.first { row in row.backend == backend && work.allSatisfy { row.text($0.key) == $0.value } }
    }
    if let found = first(work) { return found }
    guard let asked = work["durability"], !asked.isEmpty, asked != "shipped" else { return nil }
    return first(work.merging(["durability": "shipped"]) { $1 })
  }
}
