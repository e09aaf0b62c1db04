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

    @Test func `every measured size and number of reads gets the answer of advise`() async throws {
      let model = try ReportModel(reading: ReportFiles.run)
      let page = try await ReportFiles.open("answer")
      for (survive, durability) in [
        ("any", nil), ("crash", Durability.crash), ("intact", .intact), ("durable", .durable),
      ] {
        for records in [100, 1_000, 10_000] {
          for reads in [0, 1, 10, 100, 1_000] {
            try await page.go(toFragment: "answer?records=\(records)&reads=\(reads)&survive=\(survive)")
            let app = AppDescription(records: records, readsPerSave: Double(reads), durability: durability)
            #expect(try await page.evaluate(Self.shown, as: [[String]].self) == expected(app, model), "\(app)")
            let words = AdviceSentences.recommendation(Advice(app, by: model))?.text
            #expect(try await page.text("#calculator .recommended") == words, "\(app)")
          }
        }
      }
      try await page.done()
    }

    @Test func `what was not measured is answered with the command that measures it`() async throws {
      let page = try await ReportFiles.open("answer")
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
        try await page.go(toFragment: "answer?\(fragment)")
        #expect(try await page.text("#calculator .wrong") == words)
        #expect(try await page.text("#calculator code") == command)
        #expect(try await page.evaluate(Self.shown, as: [[String]].self).isEmpty)
      }
      // Up to twice the size the figures are shown, with a caveat.
      try await page.go(toFragment: "answer?bytes=150")
      #expect(try await !page.evaluate(Self.shown, as: [[String]].self).isEmpty)
      try await page.unfold("#calculator")
      #expect(
        try await page.text("#calculator").contains("The records of this run have 100 bytes, as have all figures."))
      try await page.done()
    }

    @Test func `typed values appear in the address, and other values are refused`() async throws {
      let model = try ReportModel(reading: ReportFiles.run)
      let page = try await ReportFiles.open("answer")
      func shown() async throws -> [[String]] { try await page.evaluate(Self.shown) }
      #expect(
        try await shown() == expected(AppDescription(records: 1000, readsPerSave: 10, durability: .durable), model))
      try await page.click("#calculator input[name=records]")
      try await page.run("document.activeElement.select()")
      try await page.type("10000")
      try await page.choose("#calculator label:nth-child(3) select", "100")
      try await page.choose("#calculator label:nth-child(4) select", "intact")
      let app = AppDescription(records: 10_000, readsPerSave: 100, durability: .intact)
      #expect(try await shown() == expected(app, model))
      try await page.unfold("#calculator")
      #expect(try await page.evaluate("location.hash") == "#answer?records=10000&reads=100&survive=intact")
      #expect(
        try await page.text("#calculator code")
          == "storage-bench advise DIR --records 10000 --reads-per-save 100 --durability intact")
      try await page.reload()
      #expect(try await shown() == expected(app, model))
      for (name, text) in [("records", "0"), ("records", "1.5"), ("bytes", "-1")] {
        try await page.go(toFragment: "answer?\(name)=\(text)")
        #expect(try await page.text("#calculator .wrong").contains("must be a"), "\(name)=\(text)")
        #expect(try await shown().isEmpty)
      }
      try await page.done()
    }
  }
}
