import Foundation
import StorageContract
import StorageRunFiles

extension SafetyReport: Report {
  /// The results of the crash tests as sentences: one for each broken guarantee, or a single one if none is broken.
  public var sentences: [String] { SafetySentences.lead(findings).map(\.text) }

  public var name: String { "safety" }

  /// The results of the crash tests (command `crashtest`) as a document for files and the terminal.
  public var document: Document {
    var section = Section(id: "safety", title: "What was found", lead: SafetySentences.lead(findings))
    section.isAnswer = true
    section.lists = [.init(items: ["\(place). Seed \(String(seed))."], media: .page)]
    section.guide = SafetyTable.guide
    let details = [
      Section(id: "cases", title: "Cases", tables: cases),
      Section(id: "states", title: "States after a power cut", media: .page, tables: [states]),
      Section(id: "settings", title: "Engines and settings", media: .page, tables: [settings]),
    ].filter { !$0.tables[0].rows.isEmpty }
    return Document(title: "storage-bench crashtest", sections: [section] + stories + details)
  }

  public var short: Document {
    Document(title: "", sections: [Section(id: "safety", title: "", lead: SafetySentences.lead(findings))])
  }

  /// The messages of the crash tests for a CI system: an error for each guarantee that a store broke.
  public var annotations: [Annotation] {
    SafetySentences.broken(findings).map { Annotation(level: .error, title: "", message: $0.text) }
  }

  private var cases: [Table] {
    var table = SafetyTable.table(findings)
    (table.title, table.media) = ("", .page)
    let levels = findings.grouped { [$0.backend, $0.durability.rawValue, $0.level.rawValue] }.map(\.members)
    let perLevel = Table(
      "", of: levels,
      [
        .backend, .asked, .level, .sum("cases", \.cases), .sum("kept", \.kept),
        .sum("lost-within", \.lostWithinPromise), .sum("lost-against", \.lostAgainstPromise, isBad: true),
        .sum("torn", \.torn), .sum("refused", \.refused), .sum("unnoticed", \.unnoticed), .sum("crashed", \.crashed),
      ], media: .terminal)
    return [table, perLevel]
  }

  private var settings: Table {
    let groups = findings.grouped { [$0.backend, $0.durability.rawValue, $0.engine, $0.settings] }.map(\.members)
    return Table(
      "", of: groups,
      [.backend, .asked, .words("engine") { $0[0].engine }, .words("settings") { $0[0].settings }])
  }

  private var states: Table {
    Table(
      "", of: findings.filter { $0.possible != nil },
      [
        .words("backend", \.backend), .words("asked", \.durability.rawValue), .words("model", \.variant),
        .number("states tried") { Quantity.grouped($0.cases) },
        .number("sets of missing changes") { $0.possible.map(SafetyTable.rounded) },
        .number("seconds, both models") { $0.seconds.map { NumberFormat.fixed($0, 1) } },
      ])
  }

  /// The sections on failed crash-test cases, each with its explanation and the command that repeats the case.
  private var stories: [Section] {
    let told = findings.flatMap { result in result.failures.enumerated().map { (result, $0.offset, $0.element) } }
    return told.enumerated().map { number, story in
      let (result, index, failure) = story
      var section = Section(
        id: "story-\(number + 1)", title: "\(result.backend), \(result.durability.rawValue), \(failure.name)",
        media: index == 0 && result.broken > 0 ? .all : .page, lead: failure.story.map { RichText($0) })
      section.code =
        (failure.columns ?? []) + [failure.command]
        + (failure.replay.map { ["storage-bench crashtest --only \($0)"] } ?? [])
      return section
    }
  }
}

/// The results of the crash tests as a table, for the HTML page of a run and for `safety.md`.
enum SafetyTable {
  static func table(_ findings: [SafetyReport.FaultResult]) -> Table {
    Table(
      "What was found", of: findings.map { [$0] },
      [
        .backend, .asked, .level, .words("fault") { SafetySentences.fault($0[0]) }, .sum("cases", \.cases),
        .sum("kept", \.kept), .sum("lost within the promise", \.lostWithinPromise),
        .sum("lost against it", \.lostAgainstPromise), .sum("torn", \.torn), .sum("refused", \.refused),
        .sum("unnoticed", \.unnoticed), .sum("crashed", \.crashed), .words("promise") { promise($0[0]) },
      ])
  }

  static let guide: [RichText] = [
    "kill: the process was killed while saving. enospc: the disk was full, and had room again. eio, eintr, short-write: a call failed, was interrupted, wrote a part. fsync: a sync failed. power: what was not synced may be missing, by the rules of three models of a file system; strict: anything, in any order, and names without a sync of their directory; ext4-like: names and truncations in their order; ext4-no-journal: names and inodes each by itself, then e2fsck. Promises are held against ext4-like. damage: a file of the store was cut short, changed, emptied, or swapped for an older one while it was closed. memory: the engine got no memory for one allocation, or for all from there on until it reported an error. schedule: two processes used the store in turns; each order is a case.",
    "lost: acknowledged saves were missing; of a damaged file, lost within the promise: an error reported it. torn: half a save, or what was never saved. refused: nothing was lost, but an error was not the store's own, or the store took no more saves. unnoticed: something was wrong and no error reported it. crashed: the process died by itself, or hung. \u{201C}Not found in N cases\u{201D} is all that a test can say; backends are not ranked by these counts, which depend on how many calls each makes.",
  ]

  private static func promise(_ result: SafetyReport.FaultResult) -> Table.Field {
    let possible = result.possible.flatMap { $0 > Double(result.cases) ? $0 : nil }
    let states = possible.map { "; drawn from \(rounded($0)) sets of missing changes" } ?? ""
    let note = states + (result.note.isEmpty ? "" : "; \(result.note)")
    if result.cases == 0 { return .init(RichText("not tested\(note)"), kind: .absent) }
    if result.broken > 0 {
      let broken = Quantity.grouped(result.broken)
      return .init(RichText("BROKEN in \(broken) of \(Quantity.grouped(result.cases))\(note)"), kind: .failed)
    }
    return .init(RichText("not found broken in \(Quantity.counted(result.cases, "case"))\(note)"))
  }

  /// Returns a count as short text: `12 million`, or `10^40`. Counts from 1,000 million on are powers of ten.
  static func rounded(_ count: Double) -> String {
    guard count >= 1e6 else { return Quantity.grouped(Int(count)) }
    let digits = Quantity.whole(log10(count).rounded(.down))
    if digits >= 300 { return "more than 10^300" }
    return digits < 9 ? "\(Quantity.grouped(Int(count / 1e6))) million" : "10^\(digits)"
  }
}

/// Columns of tables in which each row shows one or more results of the same backend, with the sums of their counts.
extension ItemColumn<[SafetyReport.FaultResult]> {
  fileprivate static var backend: Self { .words("backend") { $0[0].backend } }
  fileprivate static var asked: Self { .words("asked") { $0[0].durability.rawValue } }
  fileprivate static var level: Self { .words("level") { $0[0].level.rawValue } }

  fileprivate static func sum(
    _ title: String, _ path: KeyPath<SafetyReport.FaultResult, Int>, isBad: Bool = false
  ) -> Self {
    .number(title) { results in
      let sum = results.reduce(0) { $0 + $1[keyPath: path] }
      return Table.Field(RichText(Quantity.grouped(sum)), kind: isBad && sum > 0 ? .failed : .value)
    }
  }
}

enum SafetySentences {
  static func lead(_ findings: [SafetyReport.FaultResult]) -> [RichText] {
    guard !findings.isEmpty else {
      return [
        "What each backend promises, by its settings and its counted syncs. \(code: "storage-bench crashtest") puts it to the test."
      ]
    }
    let count = findings.reduce(0) { $0 + $1.cases }
    guard count > 0 else {
      let reasons = findings.filter { !$0.note.isEmpty }.map { "\($0.backend), \($0.fault): \($0.note)." }
      return [RichText("Nothing was tested. \(reasons.unique.joined(separator: " "))")]
    }
    let cases = Quantity.counted(count, "case")
    let broken = broken(findings)
    return broken.isEmpty ? ["No broken promise was found in \(cases)."] : broken
  }

  static func broken(_ findings: [SafetyReport.FaultResult]) -> [RichText] {
    findings.filter { $0.broken > 0 }.map { result in
      "\(strong: "Broken:") \(result.backend), \(result.durability.rawValue), \(fault(result)): \(Quantity.grouped(result.broken)) of \(Quantity.grouped(result.cases)) cases ended worse than \(result.level.rawValue) allows."
    }
  }

  static func fault(_ result: SafetyReport.FaultResult) -> String {
    result.variant.isEmpty ? result.fault : "\(result.fault) \(result.variant)"
  }
}
