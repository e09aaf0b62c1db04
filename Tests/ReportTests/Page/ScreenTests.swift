import Foundation
#if canImport(FoundationXML)
  import FoundationXML
#endif
@testable import StorageReport
import Testing

extension PageTests {
  /// Folding on a phone, scrolling and printing.
  @Suite struct ScreenTests {
    @Test func `a phone's page is at most 7,000 pixels long, and a link unfolds where it leads`() throws {
      let page = try ReportFiles.open(on: .phone)
      let height: Int = try page.evaluate("document.documentElement.scrollHeight")
      #expect(height <= 7000)
      let folded = "[...document.querySelectorAll('details.part:not([open])')].map(e => e.parentElement.id)"
      let before: [String] = try page.evaluate(folded)
      #expect(before.contains("latency") && before.contains("advice") && !before.contains("matrix"))
      try page.tap("#tab-details > summary")
      try page.tap("#latency summary")
      #expect(try page.evaluate(folded, as: [String].self) == before.filter { $0 != "latency" })
      // A table that is folded within a section that is folded.
      let table: String = try page.evaluate("document.querySelector('#latency details[id]').id")
      try page.go(toFragment: table)
      #expect(try page.evaluate("document.getElementById('\(table)').open"))
      #expect(try page.evaluate("document.querySelector('#latency details.part').open"))
      let top: Double = try page.evaluate("document.getElementById('\(table)').getBoundingClientRect().top")
      #expect((30..<844).contains(top), "not under the navigation")
      try page.done()
    }

    @Test func `a desktop's page has at most 1,500 words and 4,000 pixels before anything is unfolded`() throws {
      let page = try ReportFiles.open(on: .desktop)
      let words: Int = try page.evaluate("document.body.innerText.match(/\\S*[\\p{L}\\p{N}]\\S*/gu).length")
      #expect((500...1500).contains(words))
      #expect(try page.evaluate("document.documentElement.scrollHeight", as: Int.self) <= 4000)
      try page.done()
    }

    @Test(arguments: [true, false]) func `options switch between the pictures`(hasScript: Bool) throws {
      let page = try ReportFiles.open(on: changed(.desktop) { $0.hasScript = hasScript })
      let shown = "[...document.querySelectorAll('.switch > figure')].filter(e => e.checkVisibility()).map(e => e.id)"
      #expect(try page.evaluate(shown, as: [String].self) == ["chart-strip-save"])
      try page.click(".switch > label[for=strips-5]")
      #expect(try page.evaluate(shown, as: [String].self) == ["chart-strip-bytes"])
      guard hasScript else { return try page.done() }
      // A link chooses the option, and does not keep its picture.
      try page.go(toFragment: "chart-strip-read")
      #expect(try page.evaluate(shown, as: [String].self) == ["chart-strip-read"])
      try page.click(".switch > label[for=strips-1]")
      #expect(try page.evaluate(shown, as: [String].self) == ["chart-strip-save"])
      try page.done()
    }

    @Test func `a bar opens the details of its row`() throws {
      let page = try ReportFiles.open(on: .desktop)
      let cell = "lmdb/save-one/1000/shipped"
      let row = try #require(ReportModel(reading: ReportFiles.run).rows.first { $0.cell.name == cell })
      let bar = "#chart-strip-save rect[data-cell='\(cell)']"
      try page.click(bar)
      #expect(try page.text("#drawer h4") == cell)
      #expect(try page.text("#drawer h3") == "LMDB, save-one, 1,000 records")
      let median = NumberFormat.time(try #require(row.p50))
      #expect(try page.text("#drawer figure:nth-of-type(1)").contains(median))
      let medians: [String] = try page.evaluate(
        "[...document.querySelectorAll('#drawer figure:nth-of-type(2) text.small')].map(e => e.textContent)")
      #expect(medians == row.rounds.values.map { NumberFormat.time($0.typical) })
      #expect(try page.text("#drawer .code:last-of-type code") == "storage-bench trace lmdb save-one -n 1000")
      try page.press(.escape)
      #expect(try page.evaluate("document.querySelector('#drawer').open") == false)
      // The keyboard opens it as well, and a press beside it closes it.
      try page.run("document.querySelector(\(Page.literal(bar))).focus()")
      try page.press(.enter)
      #expect(try page.evaluate("document.querySelector('#drawer').open"))
      try page.run("document.querySelector('#drawer').click()")
      #expect(try page.evaluate("document.querySelector('#drawer').open") == false)
      try page.done()
    }

    @Test func `what is shown can be downloaded as CSV, SVG and PNG`() throws {
      let page = try ReportFiles.open("matrix", on: .desktop)
      try page.run(
        """
        window.files = [];
        URL.createObjectURL = blob => (window.blob = blob, 'blob:x');
        HTMLAnchorElement.prototype.click = function () {
          const file = { name: this.download, type: window.blob.type };
          window.blob.arrayBuffer().then(bytes => files.push({ ...file,
            text: new TextDecoder().decode(bytes), head: [...new Uint8Array(bytes.slice(0, 4))] }));
        };
        """)
      struct File: Decodable {
        var name: String
        var type: String
        var text: String
        var head: [Int]
      }
      for figure in ["#chart-strip-save", "#explorer-chart"] {
        try page.run("files.length = 0")
        try page.run("document.querySelectorAll('\(figure) .download').forEach(button => button.click())")
        try page.wait(until: "files.length === 3")
        let files: [File] = try page.evaluate("files")
        let csv = try #require(files.first { $0.type == "text/csv" })
        let lines = csv.text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("cell,level,processes,operations,p50_ns,") == true)
        let columns = try #require(lines.first { $0.hasPrefix("lmdb/save-one/1000/shipped,") }).split(separator: ",")
        let row = try #require(
          ReportModel(reading: ReportFiles.run).rows.first { $0.cell.name == "lmdb/save-one/1000/shipped" })
        #expect(columns[4] == NumberFormat.plain(try #require(row.p50)))
        let svg = try #require(files.first { $0.type == "image/svg+xml" })
        #expect(svg.text.hasPrefix("<svg") && svg.text.contains("LMDB") && svg.text.contains(".bar"))
        #expect(XMLParser(data: Data(svg.text.utf8)).parse())
        let png = try #require(files.first { $0.type == "image/png" })
        #expect(png.head == [0x89, 0x50, 0x4E, 0x47] && png.name.hasSuffix(".png"))
      }
      try page.done()
    }

    @Test func `the matrix stays a table on a phone, its first column in sight`() throws {
      let page = try ReportFiles.open("matrix", on: .phone)
      let left = "document.querySelector('#explorer tbody th').getBoundingClientRect().left"
      let field = "document.querySelector('#explorer tbody td').getBoundingClientRect().left"
      let (name, value): (Double, Double) = (try page.evaluate(left), try page.evaluate(field))
      try page.run("document.querySelector('#explorer .table').scrollLeft = 150")
      try page.settle()
      #expect(try page.evaluate(left, as: Double.self) == name, "the names stay")
      #expect(try page.evaluate(field, as: Double.self) == value - 150)
      try page.done()
    }

    @Test func `navigation stays in sight`() throws {
      let page = try ReportFiles.open()
      for section in ["levels", "memory"] {
        try page.click("nav a[href='#\(section)']")
        #expect(try page.evaluate("document.querySelector('nav').getBoundingClientRect().top") == 0.0)
        let top: Double = try page.evaluate("document.querySelector('#\(section) h2').getBoundingClientRect().top")
        #expect((20..<200).contains(top), "not under the navigation")
      }
      try page.done()
    }

    @Test func `paper gets every section and the tables, and no controls`() throws {
      let page = try ReportFiles.open(on: .phone)
      try page.run(
        """
        window.printing = [];
        addEventListener('beforeprint', () =>
          printing.push(`before ${document.querySelectorAll('details.part:not([open])').length}`));
        addEventListener('afterprint', () => printing.push('after'));
        """)
      struct Printed: Decodable { var data: String }
      let printed: Printed = try page.send("Page.printToPDF", ["printBackground": true])
      #expect(printed.data.count > 10_000)
      #expect(try page.evaluate("printing", as: [String].self) == ["before 0", "after"])
      #expect(try page.evaluate("document.querySelectorAll('details.part:not([open])').length", as: Int.self) > 5)
      try page.run("dispatchEvent(new Event('beforeprint'))")
      #expect(try page.evaluate("document.querySelector('details.printed').open"))
      try page.send("Emulation.setEmulatedMedia", ["media": "print"])
      let hidden: Bool = try page.evaluate(
        "['.controls', '#explorer', '#calculator', 'nav', '.copy'].every(s => !document.querySelector(s)?.checkVisibility())"
      )
      #expect(hidden)
      #expect(
        try page.evaluate(
          "[...document.querySelectorAll('#matrix .printed > .block table')].every(e => e.checkVisibility())"))
      try page.done()
    }
  }
}
