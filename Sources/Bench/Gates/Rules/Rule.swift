import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics
import Yams

/// A rule that a run must satisfy, such as `sqlite/read-one/1000/- p50 <= 5ms` (backend/workload/records/durability).
struct Rule: Sendable {
  let text: String
  let location: String
  let cell: String
  let metric: RuleMetric
  let comparator: RuleComparator
  /// The benchmark whose value is multiplied by ``bound``, such as `lmdb/read-one/1000/-`; nil for a fixed limit. The
  /// name may contain `*`.
  let template: String?
  /// The fixed limit, such as `5ms`, as a number of nanoseconds or bytes, or a plain number. With a ``template``, the
  /// factor of its value, such as 5.
  let bound: Double

  /// Parses a rule such as `sqlite/read-one/1000/- p50 <= 5ms`. `location` names the file and line in error messages.
  init(_ text: String, location: String) throws {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    func refuse(_ sentence: String) -> UsageError { UsageError("\(location): \(sentence)") }
    let form = "write BACKEND/WORKLOAD/RECORDS/DURABILITY, such as sqlite/read-one/1000/-"
    guard words.count == 4 || words.count == 6 else {
      throw refuse(
        "'\(text)' has \(words.count) words; "
          + "a rule reads 'CELL METRIC OP VALUE' or 'CELL METRIC OP [FACTOR x] CELL'")
    }
    guard !Glob.alternatives(words[0]).contains(where: { $0.contains { "{}".contains($0) } }) else {
      throw refuse("braces are nested or not in pairs, or stand for more than 1,000 patterns; write {a,b}")
    }
    guard Self.isCell(words[0]) else { throw refuse("'\(words[0])' is not a cell's name; \(form)") }
    // Names of `costs.csv`, such as `bytes`, are also allowed. The ambiguous name `syncs` means the column of
    // `summary.csv`.
    let column = Measure.committed.first { $0.name == words[1] }?.column
    guard
      let metric = RuleMetric.all.first(where: { $0.name == words[1] })
        ?? RuleMetric.all.first(where: { $0.name == column })
    else {
      throw refuse(Nearest.sentence("metric", words[1], among: RuleMetric.all.map(\.name)))
    }
    guard let comparator = RuleComparator(rawValue: words[2]) else {
      throw refuse(Nearest.sentence("comparison", words[2], among: RuleComparator.allCases.map(\.rawValue)))
    }
    let last = words[words.count - 1]
    if words.count == 6 {
      guard ["x", "×"].contains(words[4]), let factor = RuleMetric.number(words[3]), factor > 0 else {
        throw refuse("'\(words[3]) \(words[4])' is not a factor; write '5 x', with a number above 0")
      }
      guard Self.isCell(last) else { throw refuse("'\(last)' is not a cell's name; \(form)") }
      (template, bound) = (try Self.template(last, location), factor)
    } else if Self.isCell(last) {
      (template, bound) = (try Self.template(last, location), 1)
    } else if let value = metric.value(last) {
      (template, bound) = (nil, value)
    } else {
      throw refuse(
        "'\(last)' is neither a cell's name nor a value of \(metric.name); write it like \(metric.example)")
    }
    self.text = words.joined(separator: " ")
    self.location = location
    cell = words[0]
    self.metric = metric
    self.comparator = comparator
  }

  private static func isCell(_ word: String) -> Bool {
    Glob.alternatives(word).allSatisfy { parts($0).count >= 4 }
  }

  /// Returns the parts of a name such as `sqlite/read-one/1000/-/cold`: backend, workload, records, durability,
  /// conditions.
  static func parts(_ name: String) -> [String] { name.split(separator: "/").map(String.init) }

  /// Checks a benchmark name on the right side of a rule, such as `lmdb/*/1000/-`, and returns it. Each part between
  /// slashes must be a plain name or `*`.
  private static func template(_ word: String, _ location: String) throws -> String {
    let isTemplate = parts(word).allSatisfy { $0 == "*" || !Glob.isPattern($0) }
    guard isTemplate, Glob.alternatives(word) == [word] else {
      throw UsageError(
        "\(location): '\(word)' on the right must name one cell; write names, or * to repeat that part of the left cell's name"
      )
    }
    return word
  }

  /// Checks that a benchmark of the left side has the rule's metric: a benchmark that only reads lacks some of them.
  func requireMetric(of cell: Cell) throws {
    guard metric.isOfSaves, cell.durability == nil else { return }
    throw UsageError(
      "\(location): \(cell.name) only reads and has no \(metric.name); name a workload that saves, or another metric")
  }

  /// The patterns on the left side of the rule: `{a,b}/x` is expanded to `a/x` and `b/x`.
  var patterns: [String] { Glob.alternatives(cell) }

  var isPattern: Bool { patterns != [cell] || Glob.isPattern(cell) }

  /// Returns the benchmark name on the right side of the rule; nil if the right side is a fixed limit, such as `5ms`.
  ///
  /// - Parameter name: The benchmark on the left side. Its parts replace each `*` of the right side: with the left side
  ///   `sqlite/read-one/1000/-`, the right side `lmdb/*/1000/-` becomes `lmdb/read-one/1000/-`.
  func other(of name: String) -> String? {
    guard let template else { return nil }
    let own = Self.parts(name)
    return Self.parts(template).enumerated().map { index, part in
      part == "*" && index < own.count ? own[index] : part
    }.joined(separator: "/")
  }

  /// Returns the benchmarks among `names` to which the rule applies. `run` names the run or plan in error messages.
  ///
  /// - Throws: `UsageError` if a pattern of the rule matches none of the names.
  func judged(among names: [String], of run: String) throws -> [String] {
    try patterns.flatMap { pattern in
      let found = names.filter(Glob(pattern).matches)
      guard !found.isEmpty else {
        let isPattern = Glob.isPattern(pattern)
        let nearest = isPattern ? names.first : Nearest.candidate(to: pattern, among: names.sorted())
        throw UsageError(
          "\(location): \(run) has no cell \(isPattern ? "that matches " : "")'\(pattern)'; "
            + (nearest.map { "\(isPattern ? "one of its cells" : "the nearest") is '\($0)'" }
              ?? "it has no cells; make a run first"))
      }
      return found
    }.unique
  }
}

enum RuleFile {
  static func read(_ path: String) throws -> [Rule] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw UsageError("\(path) does not exist; name a file with a list 'rules:'")
    }
    return try parse(String(decoding: try AtomicFile.contents(path), as: UTF8.self), path: path)
  }

  static func isRules(_ text: String) -> Bool { (try? Yams.compose(yaml: text))?.mapping?["rules"] != nil }

  static func parse(_ text: String, path: String) throws -> [Rule] {
    let node: Node?
    do {
      node = try Yams.compose(yaml: text)
    } catch YamlError.duplicatedKeysInMapping(let keys, _) {
      throw UsageError("\(path): key '\(keys.first ?? "")' is given twice; join the two into one")
    } catch YamlError.reader {
      throw UsageError(
        "\(path) has a character that YAML forbids, such as a control character; remove it, or save the file as UTF-8")
    } catch let error as YamlError {
      throw UsageError(
        "\(path)\(error.line.map { ", line \($0)," } ?? "") is not YAML; correct it, and quote rules that begin with * or {, or have ': ' or '#' in them"
      )
    }
    guard let mapping = node?.mapping else {
      throw UsageError("\(path) has no list 'rules:'; write 'rules:' and below it '- CELL METRIC OP VALUE'")
    }
    for (key, _) in mapping where key.string != "rules" {
      throw UsageError("\(path)\(line(key)): " + Nearest.sentence("key", key.string ?? "", among: ["rules"]))
    }
    guard let list = mapping["rules"]?.sequence, !list.isEmpty else {
      throw UsageError("\(path) has no rules; write '- CELL METRIC OP VALUE' below 'rules:'")
    }
    return try list.map { item in
      guard let rule = item.string else {
        throw UsageError("\(path)\(line(item)): a rule must be a string; write it on one line, in quotes if need be")
      }
      return try Rule(rule, location: "\(path)\(line(item))")
    }
  }

  private static func line(_ node: Node) -> String { node.mark.map { ", line \($0.line)" } ?? "" }
}
