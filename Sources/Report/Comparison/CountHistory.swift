import Foundation
import StorageContract

/// What each commit changed in committed counts: bytes, writes, syncs and allocations, which are exact, so that every
/// change is one.
public struct CountHistory: Sendable, Codable, Equatable {
  /// What one commit changed.
  public struct Step: Sendable, Codable, Equatable {
    /// A count of a cell before and after.
    public struct Change: Sendable, Codable, Equatable {
      /// The cell's name.
      public var cell: String
      /// The totals, and of how many operations they are; those of before may be of another number.
      public var count: CountChange
      /// Of how many operations the total before was.
      public var operationsBefore: Int

      /// Creates a change.
      public init(cell: String, count: CountChange, operationsBefore: Int) {
        self.cell = cell
        self.count = count
        self.operationsBefore = operationsBefore
      }

      /// Per operation, before and after.
      var perOperation: (base: Double, head: Double) {
        (Double(count.base) / Double(max(1, operationsBefore)), Double(count.head) / Double(max(1, count.operations)))
      }
    }

    /// The commit, abbreviated as git does it.
    public var revision: String
    /// The day of the commit, `2026-11-22`.
    public var date: String
    /// The first line of its message.
    public var subject: String
    /// What changed in what counts depend on: an engine's version, the compiler; or why the file cannot be read.
    public var notes: [String]
    /// Cells that are new.
    public var added: [String]
    /// Cells that are no more.
    public var removed: [String]
    /// Counts that changed, of cells that were there before.
    public var changes: [Change]

    /// Creates a step.
    public init(
      revision: String, date: String, subject: String, notes: [String] = [], added: [String] = [],
      removed: [String] = [], changes: [Change] = []
    ) {
      self.revision = revision
      self.date = date
      self.subject = subject
      self.notes = notes
      self.added = added
      self.removed = removed
      self.changes = changes
    }
  }

  /// The file whose history it is.
  public var path: String
  /// The commits that changed it, the oldest first.
  public var steps: [Step]

  /// Creates a history.
  public init(path: String, steps: [Step]) {
    self.path = path
    self.steps = steps
  }
}

extension CountHistory: Report {
  public var name: String { "history" }

  public var document: Document {
    Document(title: "storage-bench: history of \(path)", sections: [summary] + steps.reversed().compactMap(details))
  }

  public var short: Document {
    var section = summary
    (section.title, section.charts) = ("", [])
    return Document(title: "", sections: [section])
  }

  /// Its encoding, its keys sorted.
  public func writeJSON(to append: @escaping TextFile.Append) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try append(String(decoding: try encoder.encode(self), as: UTF8.self) + "\n")
  }

  /// A line for each commit, the newest first.
  private var summary: Section {
    var section = Section(id: "commits", title: "What each commit changed")
    let count = steps.reduce(0) { $0 + $1.changes.count }
    let commits = "\(Quantity.grouped(steps.count)) \(steps.count == 1 ? "commit" : "commits")"
    section.lead = [
      "\(strong: "\(Quantity.grouped(count)) \(count == 1 ? "count" : "counts") changed over \(commits) of \(path).")"
    ]
    section.charts = [chart].compactMap { $0 }
    section.tables = [
      Table(
        "", [.words("commit"), .words("date"), .words("changed"), .words("subject")],
        steps.reversed().map { step in
          [step.revision, step.date, Self.inShort(step), step.subject].enumerated().map { place, text in
            place == 0 ? .init("\(code: text)") : .init(text: text)
          }
        })
    ]
    return section
  }

  /// `bytes of 3 cells, syncs of 1 cell; 2 cells added`.
  private static func inShort(_ step: Step) -> String {
    func cells(_ count: Int) -> String { "\(Quantity.grouped(count)) \(count == 1 ? "cell" : "cells")" }
    let counts = step.changes.grouped { $0.count.metric }.map { "\($0.key) of \(cells($0.members.count))" }
    let others = [(step.added, "added"), (step.removed, "removed")].filter { !$0.0.isEmpty }
      .map { "\(cells($0.0.count)) \($0.1)" }
    let parts = [counts.joined(separator: ", ")] + others + step.notes
    return parts.filter { !$0.isEmpty }.joined(separator: "; ")
  }

  /// The counts that a commit changed, per operation; nil where it changed none.
  private func details(_ step: Step) -> Section? {
    guard !step.changes.isEmpty else { return nil }
    var section = Section(id: "commit-\(step.revision)", title: "\(step.revision): \(step.subject)", media: .page)
    section.tables = [
      Table(
        "Per operation", [.words("cell"), .words("count"), .number("before"), .number("after"), .number("change")],
        step.changes.map { change in
          let (base, head) = change.perOperation
          let unit = change.count.unit == "B" ? NumberFormat.bytes : NumberFormat.perOperation
          let ratio = base > 0 ? NumberFormat.change(head / base, finest: true) : "-"
          return [.init("\(code: change.cell)")]
            + [change.count.metric, unit(base), unit(head), ratio].map { .init(text: $0) }
        }, isFolded: step.changes.count > 12)
    ]
    return section
  }

  /// The counts that changed most, over the commits that have them; nil where none changed.
  private var chart: HistoryChart? {
    struct Key: Hashable {
      var cell: String
      var metric: String
    }
    var lines: [Key: (unit: String, values: [Double?])] = [:]
    for (place, step) in steps.enumerated() {
      // What a commit does not change stays as it was.
      for (key, line) in lines where place > 0 { lines[key]?.values[place] = line.values[place - 1] }
      for change in step.changes {
        let key = Key(cell: change.cell, metric: change.count.metric)
        let (base, head) = change.perOperation
        var line = lines[key] ?? (change.count.unit, Array(repeating: nil, count: steps.count))
        for earlier in 0..<place where lines[key] == nil { line.values[earlier] = base }
        line.values[place] = head
        lines[key] = line
      }
    }
    func range(_ values: [Double?]) -> Double {
      let known = values.compactMap { $0 }.filter { $0 > 0 }
      guard let least = known.min(), let most = known.max() else { return 1 }
      return most / least
    }
    let shown = lines.sorted {
      (range($0.value.values), $1.key.cell + $1.key.metric) > (range($1.value.values), $0.key.cell + $0.key.metric)
    }.prefix(20)
    guard !shown.isEmpty else { return nil }
    let backends = shown.map { String($0.key.cell.prefix { $0 != "/" }) }.grouped { $0 }.map(\.key)
    return HistoryChart(
      id: "history", title: "Counts that changed, relative to their first commit",
      summary: shown.map { "\($0.key.cell), \($0.key.metric)" }.joined(separator: "; ") + ".",
      note: "Commits from left to right: \(steps.map(\.revision).joined(separator: ", ")).",
      runs: steps.map(\.revision),
      lines: shown.map { key, line in
        HistoryChart.Line(
          name: "\(key.cell), \(key.metric) per operation",
          mark: SeriesMark(index: backends.firstIndex(of: String(key.cell.prefix { $0 != "/" })) ?? 0),
          values: line.values, unit: line.unit == "B" ? NumberFormat.bytes : NumberFormat.perOperation)
      })
  }
}
