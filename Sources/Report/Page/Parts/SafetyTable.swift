import Foundation
import StorageContract
import StorageRunFiles

/// What the fault tests found, as a table: the same in a run's page and in `safety.md`.
enum SafetyTable {
  static func table(_ findings: [SafetyReport.FaultResult]) -> PanelTable {
    PanelTable(
      "What was found",
      [
        .words("backend"), .words("asked"), .words("level"), .words("fault"), .number("cases"), .number("kept"),
        .number("lost within the promise"), .number("lost against it"), .number("torn"), .number("refused"),
        .number("unnoticed"), .number("crashed"), .words("promise"),
      ], findings.map(fields))
  }

  /// How to read it.
  static let guide: [RichText] = [
    "kill: the process was killed while saving. enospc: the disk was full, and had room again. eio, eintr, short-write: a call failed, was interrupted, wrote a part. fsync: a sync failed. power: what was not synced may be missing, by the rules of two models of a file system; strict: anything, in any order, and names without a sync of their directory; ext4-like: names and truncations in their order. damage: a file of the store was cut short, changed, emptied, or swapped for an older one while it was closed.",
    "lost: acknowledged saves were missing; of a damaged file, lost within the promise: an error told it. torn: half a save, or what was never saved. refused: nothing was lost, but an error was not the store's own, or the store took no more saves. unnoticed: something was wrong and nobody was told. crashed: the process died by itself, or hung. \u{201C}Not found in N cases\u{201D} is all that a test can say; backends are not ranked by these counts, which depend on how many calls each makes.",
  ]

  private static func fields(_ result: SafetyReport.FaultResult) -> [PanelTable.Field] {
    let counts = [
      result.cases, result.kept, result.lostWithinPromise, result.lostAgainstPromise, result.torn, result.refused,
      result.unnoticed, result.crashed,
    ]
    let words = [result.backend, result.durability.rawValue, result.level.rawValue, SafetySentences.fault(result)]
    return words.map { .init(RichText($0)) } + counts.map { .init(RichText(Quantity.grouped($0))) }
      + [promise(result)]
  }

  private static func promise(_ result: SafetyReport.FaultResult) -> PanelTable.Field {
    let possible = result.possible.flatMap { $0 > Double(result.cases) ? $0 : nil }
    let states = possible.map { "; drawn from \(rounded($0)) sets of missing changes" } ?? ""
    let note = states + (result.note.isEmpty ? "" : "; \(result.note)")
    if result.cases == 0 { return .init(RichText("not tested\(note)"), kind: .absent) }
    let cases = Quantity.grouped(result.cases)
    if result.broken > 0 {
      return .init(RichText("BROKEN in \(Quantity.grouped(result.broken)) of \(cases)\(note)"), kind: .failed)
    }
    return .init(RichText("not found broken in \(cases) \(result.cases == 1 ? "case" : "cases")\(note)"))
  }

  /// A count that may be astronomical.
  static func rounded(_ count: Double) -> String {
    guard count >= 1e6 else { return Quantity.grouped(Int(count)) }
    let digits = Int(log10(count))
    if digits >= 300 { return "more than 10^300" }
    return digits < 9
      ? "\(Quantity.grouped(Int(count / 1e6))) million" : "10^\(digits)"
  }
}
