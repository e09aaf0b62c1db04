@testable import TestSupport
@testable import StorageReport
import Testing

/// The terms and marks that reports define.
@Suite struct TermTests {
  @Test(arguments: [
    (Term.cell, ["55 cells: 54 ok", "cell"], ["cellar", "excellent"]),
    (.workAlike, ["Core Data work-alike", "5 µs 1.1× work-alike"], ["work-alikes"]),
    (.port, ["Property list (Linux)", "UserDefaults (Linux) value=data"], ["Linux", "a Linux machine"]),
    (.aboutEqual, ["5 µs 1.0× ~", "8.7 ms~"], ["to ~650", "~5,000"]),
    (.inconclusive, ["5 µs 1.0× ?", "8.7 ms?"], ["(?-37)", "which one?"]),
    (.exceeds, ["lmdb^", "5 µs 1.0× ^", "11 µs^*"], ["5.2 µs × N^1.04"]), (.timedOnce, ["1.2 s ×1"], ["×10", "1×"]),
    (.batched, ["31 ns batched"], ["batches"]), (.emulated, ["5 µs emulated"], []), (.floor, ["floor, not ranked"], []),
    (.optimistic, ["5 µs 1.1× optimistic"], ["optimistically"]), (.pessimistic, ["5 µs pessimistic"], []),
    (.notComparable, ["5 µs not comparable"], ["comparable"]),
  ]) func `a term is found where it is used and nowhere else`(term: Term, used: [String], not: [String]) {
    for text in used { #expect(term.isUsed(in: text), "\(text)") }
    for text in not { #expect(!term.isUsed(in: text), "\(text)") }
    // A definition must not need another term.
    for other in Term.allCases where other != term { #expect(!other.isUsed(in: term.words), "\(term), \(other)") }
  }

  @Test func `each section defines the terms that it uses, once, and no others`() throws {
    let model = try SampleRun.model()
    var seen: Set<Term> = []
    for section in model.document.sections {
      let definitions = Term.allCases.map(\.definition.text)
      func used(_ texts: [String]) -> Set<Term> {
        // Definitions do not count as use.
        let bare = texts.filter { text in !definitions.contains { text.contains($0) } }
        return Set(Term.allCases.filter { term in bare.contains(where: term.isUsed) })
      }
      let shown = section.lists.filter { $0.media.contains(.page) }
      let words = section.lead + shown.flatMap { $0.items + [RichText($0.title ?? "")] }
      let fields = section.tables.flatMap { $0.rows.joined().map(\.words) + $0.columns.map { RichText($0.title) } }
      let footers = section.tables.flatMap(\.footer)
      let terms = used((words + fields + footers).map(\.text))
      let said = (section.lead + footers).map(\.text)
      for term in Term.allCases {
        let count = said.count { $0.contains(term.definition.text) }
        // The word is defined once in the report, the marks in each section.
        let isNew = terms.contains(term) && !(term == .cell && seen.contains(.cell))
        #expect(count == (isNew ? 1 : 0), "\(section.id) defines \(term) \(count) times")
      }
      seen.formUnion(terms)
    }
    #expect(seen.isSuperset(of: [.cell, .workAlike, .exceeds, .timedOnce, .batched, .emulated, .floor]))
  }
}
