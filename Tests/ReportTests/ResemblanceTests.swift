import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// How far rows of a work-alike stand for what they imitate, wherever it is said.
@Suite struct ResemblanceTests {
  private static let likenesses = [
    "save-one": Resemblance(.holds, "one statement", source: "a log"),
    "read-one": Resemblance(.optimistic, "fewer statements", source: "a guide"),
    "launch-warm": Resemblance(.notComparable, "no such thing", source: "nothing found"),
  ]

  /// The sample run, in which one backend is a work-alike in some workloads.
  private func report(_ likenesses: [String: Resemblance]) throws -> RunReport {
    var plan = SampleRun.plan
    for place in plan.cells.indices {
      switch plan.cells[place].cell.backend {
      case SampleRun.graph: (plan.cells[place].fidelity, plan.cells[place].likeness) = (.native, nil)
      case SampleRun.lmdb:
        guard let likeness = likenesses[plan.cells[place].cell.workload.id] else { continue }
        (plan.cells[place].fidelity, plan.cells[place].likeness) = (.workAlike, likeness)
      default: break
      }
    }
    return try SampleRun.withModel(plan: plan) { model, _ in RunReport(model) }
  }

  @Test func `a table says why and who says so, and a field says what is not the same`() throws {
    let document = try report(Self.likenesses).document
    let matrix = try #require(document.sections.first { $0.id == "matrix" })
    let table = try #require(matrix.tables.first { $0.title == "How far lmdb stands for Core Data" })
    #expect(
      table.rows.map { $0.map(\.words.text) } == [
        ["shape holds", "save-one", "one statement", "a log"],
        ["optimistic", "read-one", "fewer statements", "a guide"],
        ["not comparable", "launch-warm:until=screen", "no such thing", "nothing found"],
      ])
    let fields = matrix.tables.flatMap { $0.rows.joined().map(\.words.text) }
    #expect(fields.contains { $0.hasSuffix("optimistic") } && fields.contains { $0.hasSuffix("not comparable") })
    #expect(fields.contains { $0.hasSuffix("work-alike") })
    for text in [HTMLFormat.text(document), MarkdownFormat.text(document)] {
      #expect(text.contains("no such thing") && text.contains(Term.optimistic.words))
    }
    let terminal = TerminalWriter.text(document).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      terminal.contains(
        "lmdb beside Core Data: shape holds in save-one; optimistic in read-one; not comparable in launch-warm:until=screen. Times are "
          + "never Core Data's."))
  }

  @Test func `where nothing imitates nothing is said of it`() throws {
    let document = try report([:]).document
    // The page's script has the words of every mark.
    #expect(!HTMLFormat.text(document).contains("stands for Core Data"))
    for text in [MarkdownFormat.text(document), TerminalWriter.text(document)] {
      #expect(!text.contains("Core Data:") && !text.contains("stands for Core Data"))
      #expect(!text.contains(Term.optimistic.words) && !text.contains("shape holds"))
    }
  }

  @Test func `a mark is what is said of a row`() {
    var row = SummaryRow(
      cell: SampleRun.plan.cells[0].cell, machine: "", run: "", level: nil, engineVersion: "", fidelity: .native,
      seed: 1)
    #expect(Phrases.mark(row) == nil)
    row.fidelity = .emulated
    #expect(Phrases.mark(row) == "emulated")
    row.fidelity = .workAlike
    #expect(Phrases.mark(row) == "work-alike")
    row.likeness = Resemblance(.holds, "", source: "")
    #expect(Phrases.mark(row) == "work-alike")
    row.likeness?.shape = .pessimistic
    #expect(Phrases.mark(row) == "pessimistic")
  }

  @Test(arguments: [true, false]) func `what is not Apple's is marked, and the mark is explained where it is`(
    isPort: Bool
  ) throws {
    var plan = SampleRun.plan
    let look = Appearance(name: isPort ? "Property list (Linux)" : "Property list", mark: 4)
    plan.backends = (plan.backends ?? []).filter { $0.name != "plist" }
    plan.backends?.append(PlannedBackend(name: "plist", appearance: look, safety: "", deviations: []))
    let document = try SampleRun.withModel(plan: plan) { model, _ in RunReport(model).document }
    let markdown = MarkdownFormat.text(document)
    let terminal = TerminalWriter.text(document).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for text in [markdown, terminal] {
      #expect(text.contains("Property list (Linux)") == isPort && text.contains(Term.port.words) == isPort)
    }
    // The page's script has the words of every mark.
    #expect(HTMLFormat.text(document).contains("Property list (Linux)") == isPort)
  }
}
