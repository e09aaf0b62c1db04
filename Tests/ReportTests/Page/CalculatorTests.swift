import StorageContract
@testable import StorageReport
import Testing

extension PageTests {
  /// The calculator of the page, which shows the answers of `advise`.
  @Suite struct CalculatorTests {
    private static let shown =
      "[...document.querySelectorAll('#calculator tbody tr')].map(row => [...row.children].map(e => e.textContent))"

    private func expected(_ app: AppDescription, _ model: ReportModel) -> [[String]] {
      Advice(app, by: model).levels.flatMap { choice in choice.candidates.map { choice.fields($0) } }
    }

    @Test func `every measured size and number of reads gets the answer of advise`() throws {
      let model = try ReportModel(reading: ReportFiles.run)
      let page = try ReportFiles.open("answer")
      for (survive, durability) in [
        ("any", nil), ("crash", Durability.crash), ("intact", .intact), ("durable", .durable),
      ] {
        for records in [100, 1_000, 10_000] {
          for reads in [0, 1, 10, 100, 1_000] {
            try page.go(toFragment: "answer?records=\(records)&reads=\(reads)&survive=\(survive)")
            let app = AppDescription(records: records, readsPerSave: Double(reads), durability: durability)
            #expect(try page.evaluate(Self.shown, as: [[String]].self) == expected(app, model), "\(app)")
            let words = AdviceSentences.recommendation(Advice(app, by: model))?.text
            #expect(try page.text("#calculator .recommended") == words, "\(app)")
          }
        }
      }
      try page.done()
    }

    @Test func `what was not measured is answered with the command that measures it`() throws {
      let page = try ReportFiles.open("answer")
      for (fragment, words, command) in [
        (
          "records=5000", "Not measured at 5,000 records, only at 100, 1,000 and 10,000.",
          "storage-bench advise DIR --measure --records 5000 --reads-per-save 10 --durability durable"
        ),
        (
          "bytes=10000&survive=intact", "Not measured: the records of this run have 100 bytes.",
          "storage-bench advise DIR --measure --records 1000 --reads-per-save 10 --record-bytes 10000 --durability intact"
        ),
      ] {
        try page.go(toFragment: "answer?\(fragment)")
        #expect(try page.text("#calculator .wrong") == words)
        #expect(try page.text("#calculator code") == command)
        #expect(try page.evaluate(Self.shown, as: [[String]].self).isEmpty)
      }
      // Up to twice the size the figures are shown, with a caveat.
      try page.go(toFragment: "answer?bytes=150")
      #expect(try !page.evaluate(Self.shown, as: [[String]].self).isEmpty)
      try page.unfold("#calculator")
      #expect(try page.text("#calculator").contains("The records of this run have 100 bytes, as have all figures."))
      try page.done()
    }

    @Test func `typed values appear in the address, and other values are refused`() throws {
      let model = try ReportModel(reading: ReportFiles.run)
      let page = try ReportFiles.open("answer")
      func shown() throws -> [[String]] { try page.evaluate(Self.shown) }
      #expect(try shown() == expected(AppDescription(records: 1000, readsPerSave: 10, durability: .durable), model))
      try page.click("#calculator input[name=records]")
      try page.run("document.activeElement.select()")
      try page.type("10000")
      try page.choose("#calculator label:nth-child(3) select", "100")
      try page.choose("#calculator label:nth-child(4) select", "intact")
      let app = AppDescription(records: 10_000, readsPerSave: 100, durability: .intact)
      #expect(try shown() == expected(app, model))
      try page.unfold("#calculator")
      #expect(try page.evaluate("location.hash") == "#answer?records=10000&reads=100&survive=intact")
      #expect(
        try page.text("#calculator code")
          == "storage-bench advise DIR --records 10000 --reads-per-save 100 --durability intact")
      try page.reload()
      #expect(try shown() == expected(app, model))
      for (name, text) in [("records", "0"), ("records", "1.5"), ("bytes", "-1")] {
        try page.go(toFragment: "answer?\(name)=\(text)")
        #expect(try page.text("#calculator .wrong").contains("must be a"), "\(name)=\(text)")
        #expect(try shown().isEmpty)
      }
      try page.done()
    }
  }
}
