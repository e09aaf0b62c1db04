import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import Yams

/// A rule between the rows of a run: `CELL METRIC OP VALUE` or `CELL METRIC OP [FACTOR x] CELL`.
struct Rule: Sendable {
  /// The right side of a rule.
  enum Bound: Sendable {
    /// A value in nanoseconds, in bytes, or a plain number.
    case value(Double)
    /// A multiple of the same metric of another cell.
    case cell(String, factor: Double)
  }

  /// The text of the rule.
  let text: String
  /// The line of the file, from 1.
  let line: Int
  let cell: String
  let metric: RuleMetric
  let comparator: RuleComparator
  let bound: Bound

  /// Parses a rule.
  ///
  /// - Parameter place: The file and line, for messages.
  /// - Throws: `UsageError` naming the invalid word.
  init(_ text: String, line: Int, place: String) throws {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    let form = "a rule reads 'CELL METRIC OP VALUE' or 'CELL METRIC OP [FACTOR x] CELL'"
    guard words.count == 4 || words.count == 6 else {
      throw UsageError("\(place): '\(text)' has \(words.count) words; \(form)")
    }
    guard Self.isCell(words[0]) else { throw UsageError("\(place): '\(words[0])' is not a cell's name; \(form)") }
    // Some names of costs.csv are missing in summary.csv: bytes, writes. `syncs` is in both; here it means that of
    // summary.csv.
    let column = Measure.committed.first { $0.name == words[1] }?.column
    guard
      let metric = RuleMetric.all.first(where: { $0.name == words[1] })
        ?? RuleMetric.all.first(where: { $0.name == column })
    else {
      throw UsageError("\(place): " + Nearest.sentence("metric", words[1], among: RuleMetric.all.map(\.name)))
    }
    guard let comparator = RuleComparator(rawValue: words[2]) else {
      throw UsageError(
        "\(place): " + Nearest.sentence("comparison", words[2], among: RuleComparator.allCases.map(\.rawValue)))
    }
    let last = words[words.count - 1]
    if words.count == 6 {
      guard ["x", "×"].contains(words[4]), let factor = RuleMetric.number(words[3]), factor > 0 else {
        throw UsageError("\(place): '\(words[3]) \(words[4])' is not a factor; write '5 x', with a number above 0")
      }
      guard Self.isCell(last) else { throw UsageError("\(place): '\(last)' is not a cell's name; \(form)") }
      bound = .cell(last, factor: factor)
    } else if Self.isCell(last) {
      bound = .cell(last, factor: 1)
    } else if let value = metric.value(last) {
      bound = .value(value)
    } else {
      throw UsageError(
        "\(place): '\(last)' is neither a cell's name nor a value of \(metric.name); write it like \(metric.example)")
    }
    self.text = words.joined(separator: " ")
    self.line = line
    cell = words[0]
    self.metric = metric
    self.comparator = comparator
  }

  /// Returns whether a word can be a cell's name, which has at least four parts.
  private static func isCell(_ word: String) -> Bool { word.split(separator: "/").count >= 4 }

  /// The names of the cells in the rule.
  var cells: [String] {
    if case .cell(let other, _) = bound { [cell, other] } else { [cell] }
  }
}

/// A file of rules.
enum RuleFile {
  /// Reads the list `rules:`.
  ///
  /// - Throws: `UsageError` naming the file and the line.
  static func read(_ path: String) throws -> [Rule] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw UsageError("\(path) does not exist; name a file with a list 'rules:'")
    }
    return try parse(String(decoding: try AtomicFile.contents(path), as: UTF8.self), path: path)
  }

  static func parse(_ text: String, path: String) throws -> [Rule] {
    let node: Node?
    do {
      node = try Yams.compose(yaml: text)
    } catch let error as YamlError {
      throw UsageError("\(path)\(place(of: error)) is not YAML; correct it, and put texts with ': ' or '#' in quotes")
    }
    guard let mapping = node?.mapping else {
      throw UsageError("\(path) has no list 'rules:'; write 'rules:' and below it '- CELL METRIC OP VALUE'")
    }
    for (key, _) in mapping where key.string != "rules" {
      throw UsageError(
        "\(path)\(line(key)): " + Nearest.sentence("key", key.string ?? "", among: ["rules"]))
    }
    guard let list = mapping["rules"]?.sequence, !list.isEmpty else {
      throw UsageError("\(path) has no rules; write '- CELL METRIC OP VALUE' below 'rules:'")
    }
    return try list.map { item in
      guard let rule = item.string else {
        throw UsageError("\(path)\(line(item)): a rule is a text; write it on one line, in quotes if need be")
      }
      return try Rule(rule, line: item.mark?.line ?? 0, place: "\(path)\(line(item))")
    }
  }

  private static func line(_ node: Node) -> String { node.mark.map { ", line \($0.line)" } ?? "" }

  private static func place(of error: YamlError) -> String {
    switch error {
    case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): ", line \(mark.line),"
    default: ""
    }
  }
}
