@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The resemblance of work-alikes to the original in all formats.
@Suite struct ResemblanceTests {
  private static let likenesses = [
    "save-one": Resemblance(.holds, "one statement", source: "a log"),
    "read-one": Resemblance(.optimistic, "fewer statements", source: "a guide"),
    "launch-warm": Resemblance(.notComparable, "no such thing", source: "nothing found"),
  ]

  /// The sample run, in which one backend is a work-alike in some workloads.
  private func report(_ likenesses: [String: Resemblance]) throws -> RunReport {
    var plan = SampleRun.plan
    for index in plan.cells.indices {
      switch plan.cells[index].cell.backend {
      case SampleRun.graph: (plan.cells[index].fidelity, plan.cells[index].likeness) = (.native, nil)
      case SampleRun.lmdb:
        guard let likeness = likenesses[plan.cells[index].cell.workload.id] else { continue }
        (plan.cells[index].fidelity, plan.cells[index].likeness) = (.workAlike, likeness)
      default: break
      }
    }
    return RunReport(try SampleRun.model(plan: plan))
  }

  @Test func `a table has the reasons and sources, and a field has the difference`() throws {
    let document = try report(Self.likenesses).document
    let matrix = try #require(document.sections.first { $0.id == "matrix" })
    let table = try #require(matrix.tables.first { $0.title == "How far lmdb stands for Core Data" })
    #expect(
      table.texts == [
        ["shape holds", "save-one", "one statement", "a log"],
        ["optimistic", "read-one", "fewer statements", "a guide"],
        ["not comparable", "launch-warm:until=screen", "no such thing", "nothing found"],
      ])
    let fields = matrix.tables.flatMap { $0.texts.joined() }
    #expect(fields.contains { $0.hasSuffix("optimistic") } && fields.contains { $0.hasSuffix("not comparable") })
    #expect(fields.contains { $0.hasSuffix("work-alike") })
    for text in [HTMLFormat.text(document), MarkdownFormat.text(document)] {
      #expect(text.contains("no such thing") && text.contains(Term.optimistic.words))
    }
    #expect(
      TerminalWriter.words(document).contains(
        "lmdb beside Core Data: shape holds in save-one; optimistic in read-one; not comparable in launch-warm:until=screen. Times are "
          + "never Core Data's."))
  }

  @Test func `a run without work-alikes does not mention resemblance`() throws {
    let document = try report([:]).document
    // The script of the page has the words of every mark.
    #expect(!HTMLFormat.text(document).contains("stands for Core Data"))
    for text in [MarkdownFormat.text(document), TerminalWriter.text(document)] {
      #expect(!text.contains("Core Data:") && !text.contains("stands for Core Data"))
      #expect(!text.contains(Term.optimistic.words) && !text.contains("shape holds"))
    }
  }

  @Test(arguments: [true, false]) func `ports are marked, and the mark is explained`(isPort: Bool) throws {
    var plan = SampleRun.plan
    let look = Appearance(name: isPort ? "Property list (Linux)" : "Property list", mark: 4)
    plan.backends = (plan.backends ?? []).filter { $0.name != "plist" }
    plan.backends?.append(PlannedBackend(name: "plist", appearance: look, safety: "", deviations: []))
    let document = try SampleRun.model(plan: plan).document
    for text in [MarkdownFormat.text(document), TerminalWriter.words(document)] {
      #expect(text.contains("Property list (Linux)") == isPort && text.contains(Term.port.words) == isPort)
    }
    #expect(HTMLFormat.text(document).contains("Property list (Linux)") == isPort)
  }
}
