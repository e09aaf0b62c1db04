import Foundation
@testable import check_run
import StorageContract
@testable import StorageReport
import Testing

extension PageTests {
  /// The controls of the matrix, compared with `summary.csv` and the comparisons of the report.
  @Suite struct ExplorerTests {
    /// A field of the matrix in the page.
    private struct Field: Decodable, Equatable {
      /// The name of the cell, empty without a figure.
      var cell: String
      /// The large text.
      var figure: String
      /// The small text beside it.
      var rest: String
    }

    private struct Line: Decodable, Equatable {
      var task: String
      var fields: [Field]
    }

    private static let table = """
      [...document.querySelectorAll('#explorer tbody tr')].map(row => ({
        task: row.querySelector('th').textContent,
        fields: [...row.querySelectorAll('td')].map(field => ({
          cell: field.querySelector('button')?.dataset.cell ?? '',
          figure: (field.querySelector('button') ?? field).textContent,
          rest: [...field.querySelectorAll('small')].map(small => small.textContent.trim()).join(' ') })) }))
      """
    private static let columns =
      "[...document.querySelectorAll('#explorer thead th button')].map(button => button.dataset.column)"

    private let model: ReportModel
    private let page: Page
    /// `summary.csv` as it is committed, by cell.
    private let rows: [String: FinishedRun.Row]

    init() throws {
      model = try ReportModel(reading: ReportFiles.run)
      let summary = FinishedRun.rows(try packageRoot.text("results/example/summary.csv"))
      rows = Dictionary(uniqueKeysWithValues: summary.map { ($0.cell, $0) })
      page = try ReportFiles.open("matrix")
    }

    private func lines() throws -> [Line] { try page.evaluate(Self.table) }

    /// Expects that every figure is that of the summary.
    private func expectFigures(_ lines: [Line], at location: SourceLocation = #_sourceLocation) {
      for field in lines.flatMap(\.fields) where !field.cell.isEmpty {
        guard let row = rows[field.cell] else {
          Issue.record("\(field.cell) is not in summary.csv", sourceLocation: location)
          continue
        }
        let status = row.text("status")
        let time = row.time.map(NumberFormat.time) ?? (status == "failed" ? "FAILED" : status)
        #expect(field.figure == time, "\(field.cell)", sourceLocation: location)
      }
    }

    /// A row of the model, with its rounds.
    private func row(_ cell: String) throws -> SummaryRow { try #require(model.rows.first { $0.cell.name == cell }) }

    /// Expects the rows, factors and marks of the tables of these groups.
    private func expectTables(_ groups: [ComparisonGroup]) throws {
      let lines = try lines()
      expectFigures(lines)
      #expect(Set(lines.map(\.task)) == Set(groups.map(\.task)))
      for group in groups {
        let line = try #require(lines.first { $0.task == group.task })
        #expect(Set(line.fields.map(\.cell)).subtracting([""]) == Set(group.rows.map(\.cell.name)))
        for field in line.fields {
          guard !field.cell.isEmpty else {
            #expect(field.figure == "-", "\(line.task) \(field)")
            continue
          }
          let row = try row(field.cell)
          let ratio = group.ranking.count > 1 ? group.factor(of: row).map(NumberFormat.ratio) : nil
          let marks = [ratio, group.mark(of: row), group.exceeds(row) ? "^" : nil].compactMap { $0 }
          #expect(field.rest.hasPrefix(marks.joined(separator: " ")), "\(group.title): \(field)")
        }
      }
    }

    @Test func `each promise has the rows, factors and marks of its table, first those of intact saves`() throws {
      let opening = model.groups.filter { $0.durability == nil || $0.durability == .shipped && $0.level == .intact }
      #expect(try lines().map(\.task) == opening.map(\.task))
      try expectTables(opening)
      let promises = Set(model.groups.compactMap(\.promise))
      #expect(promises.count > 2)
      for promise in promises.sorted() {
        try page.choose("#explorer .controls > label:nth-of-type(1) select", promise)
        try expectTables(model.groups.filter { $0.durability == nil || $0.promise == promise })
      }
      try page.done()
    }

    @Test func `backends, workloads and sizes are left out and come back`() throws {
      let all = try lines()
      let names: [String] = try page.evaluate(Self.columns)
      #expect(names.first == "workload" && names.count == model.backends.count + 1)
      try page.click("#explorer .choices:nth-of-type(1) summary")
      try page.click(".choices input[value=plist]")
      #expect(try page.evaluate(Self.columns, as: [String].self) == names.filter { $0 != "plist" })
      #expect(try lines().allSatisfy { $0.fields.count == model.backends.count - 1 })
      // Factors stay relative to the fastest of all.
      let read = try #require(try lines().first { $0.task == "read-one, 10,000 records" })
      let same = try #require(all.first { $0.task == read.task })
      #expect(read.fields == same.fields.filter { !$0.cell.hasPrefix("plist/") })
      #expect(try page.evaluate("location.hash", as: String.self).contains("backends=sqlite"))
      try page.click(".choices input[value=plist]")
      #expect(try lines() == all)
      #expect(try page.evaluate("location.hash", as: String.self) == "#matrix")
      try page.go(toFragment: "matrix?workloads=save-one&sizes=100&sizes=1000")
      #expect(try lines().map(\.task) == ["save-one, 100 records", "save-one, 1,000 records"])
      try page.go(toFragment: "matrix?")
      #expect(try lines() == all)
      try page.run("document.querySelectorAll('.choices')[0].querySelectorAll('button')[1].click()")
      #expect(try page.text("#explorer [role=status]").hasPrefix("Nothing is chosen"))
      try page.done()
    }

    @Test func `factors to another baseline are quotients of two times, without a verdict`() throws {
      try page.choose("#explorer .controls > label:nth-of-type(2) select", "sqlite")
      try page.choose("#explorer .controls > label:nth-of-type(3) select", "ratio")
      var count = 0
      for line in try lines() {
        guard let base = line.fields.first(where: { $0.cell.hasPrefix("sqlite/") }) else { continue }
        for field in line.fields where !field.cell.isEmpty {
          let (one, other) = (try row(base.cell).typicalTime ?? 0, try row(field.cell).typicalTime ?? 0)
          #expect(field.figure == NumberFormat.ratio(other / one), "\(field.cell)")
          #expect(field.rest.hasPrefix(NumberFormat.time(other)))
          #expect(!field.rest.contains("~") && !field.rest.contains("?"))
          count += 1
        }
      }
      #expect(count > 30)
      #expect(try page.text("#explorer").contains("Factors are quotients of two times"))
      try page.done()
    }

    @Test func `a header sorts up, down and not at all`() throws {
      let plain = try lines()
      func times() throws -> [Double] {
        try lines().compactMap { line in
          let cell = line.fields.first { $0.cell.hasPrefix("lmdb/") }?.cell
          return cell.flatMap { rows[$0]?.time }
        }
      }
      let header = "th button[data-column=lmdb]"
      try page.click(header)
      #expect(try times() == times().sorted())
      #expect(try page.evaluate("document.querySelector('th[aria-sort]').ariaSort") == "ascending")
      #expect(try page.evaluate("document.activeElement.dataset.column") == "lmdb", "the focus stays")
      try page.press(.enter)
      #expect(try times() == times().sorted(by: >))
      try page.press(.enter)
      #expect(try lines() == plain)
      // Fields without a value are last in both directions.
      for direction in ["", "%20down"] {
        try page.go(toFragment: "matrix?sort=defaults\(direction)")
        let cells = try lines().map { $0.fields[2].cell.isEmpty }
        #expect(cells == cells.sorted { !$0 && $1 } && cells.contains(true))
      }
      try page.done()
    }

    @Test func `what is chosen leaves the table where it was scrolled to, and lists close`() throws {
      let phone = try ReportFiles.open("matrix", on: .phone)
      try phone.run("document.querySelector('#explorer .table').scrollLeft = 200")
      try phone.tap("#explorer button[data-cell='lmdb/save-one/1000/shipped']")
      #expect(try phone.evaluate("document.querySelector('#explorer .table').scrollLeft", as: Double.self) >= 200)
      let top: Double = try phone.evaluate("document.querySelector('.detail').getBoundingClientRect().top")
      #expect((-1..<844).contains(top), "the details are in sight")
      try phone.tap("#explorer .choices:nth-of-type(1) summary")
      try phone.tap("#explorer .choices:nth-of-type(2) summary")
      #expect(try phone.evaluate("document.querySelectorAll('.choices[open]').length") == 1)
      try phone.done()
      try page.click("#explorer .choices:nth-of-type(1) summary")
      try page.press(.escape)
      #expect(try page.evaluate("document.querySelectorAll('.choices[open]').length") == 0)
      // Sizes are sorted as numbers.
      try page.go(toFragment: "matrix?sort=workload&workloads=save-one")
      #expect(try lines().map { $0.task } == [100, 1000, 10_000].map { "save-one, \(Quantity.grouped($0)) records" })
      try page.done()
    }

    @Test func `a figure shows everything that the summary has of it, and how to repeat it`() throws {
      for cell in ["sqlite/save-one/1000/shipped", "plist/read-one/10000/-", "archive/save-one/10000/shipped"] {
        try page.click("#explorer button[data-cell='\(cell)']")
        #expect(try page.text(".detail h4") == cell)
        let shown: [String: String] = try page.evaluate(
          "Object.fromEntries([...document.querySelectorAll('.detail dl > div')].map(e => [...e.children].map(c => c.textContent)))"
        )
        let row = try #require(rows[cell])
        for (column, text) in row.fields where shown[column] != nil {
          #expect(shown[column].map(NumberFormat.ascii) == text, "\(cell) \(column)")
        }
        #expect(shown["p50_ns"] != nil && (shown["p50_low_ns"] != nil || row.number("p50_low_ns") == nil))
        // A line of code for an app may stand before it.
        let command: String = try page.evaluate(
          "[...document.querySelectorAll('.detail code')].map(e => e.textContent).find(text => / run /.test(text))")
        let planned = try #require(model.plan.cells.first { $0.cell.name == cell })
        #expect(
          command == "storage-bench run \(RepeatCommand.cell(planned, of: model.plan)) \(RepeatCommand.run(model.plan))"
        )
      }
      try page.click(".detail .copy")
      try page.wait(until: "document.querySelector('.detail .copy').textContent === 'Copied'")
      // Pressed once more it is closed.
      try page.click("#explorer button[aria-pressed=true]")
      #expect(try page.evaluate("document.querySelector('.detail').children.length") == 0)
      try page.done()
    }

    @Test func `a pointer and a finger show the exact value`() throws {
      let figure = "section#matrix data[title*='sqlite/save-one/100/shipped p50_ns']"
      try page.unfold()
      try page.hover(figure)
      let value = try #require(rows["sqlite/save-one/100/shipped"]?.number("p50_ns"))
      #expect(try page.text("#tip") == "\(NumberFormat.plain(value)): sqlite/save-one/100/shipped p50_ns")
      try page.press(.escape)
      #expect(try page.evaluate("document.querySelector('#tip').hidden"))
      let point = "#explorer-chart circle[data-cell='lmdb/save-one/100/shipped']"
      let other = try #require(rows["lmdb/save-one/100/shipped"]?.number("p50_ns"))
      let words = "LMDB, 100 records: \(NumberFormat.time(other)) (p50_ns \(NumberFormat.plain(other)))"
      try page.hover(point)
      #expect(try page.text("#tip") == words)
      // The tip of coinciding points lists all of them.
      try page.hover("#explorer-chart circle[data-cell='sqlite-queue/save-one/100/shipped']")
      #expect(try page.text("#tip").contains("(p50_ns \(NumberFormat.plain(value)))"))
      try page.done()

      let phone = try ReportFiles.open("matrix", on: .phone)
      try phone.tap(point)
      #expect(try phone.text("#tip") == words)
      try phone.done()
    }

    @Test func `a view that is sent comes out the same, and what it does not know is passed over`() throws {
      try page.choose("#explorer .controls > label:nth-of-type(1) select", "durable")
      try page.choose("#explorer .controls > label:nth-of-type(2) select", "lmdb")
      try page.choose("#explorer .controls > label:nth-of-type(5) select", "linear")
      try page.click("th button[data-column=sqlite]")
      try page.click("#explorer button[data-cell='sqlite/save-one/10000/durable']")
      let (address, shown): (String, String) = (
        try page.evaluate("location.hash"),
        try page.evaluate("document.querySelector('#explorer').innerText")
      )
      let other = try Browser.open(ReportFiles.example.get().page, fragment: String(address.dropFirst()))
      #expect(try other.evaluate("document.querySelector('#explorer').innerText") == shown)
      #expect(try other.evaluate("location.hash") == address)
      try other.done()
      try page.go(toFragment: "matrix?")
      let plain = try lines()
      try page.go(toFragment: "matrix?promise=nonsense&backends=ghost&baseline=&sort=ghost&row=a/b/c&%F0%28=1&show")
      #expect(try lines() == plain)
      #expect(try page.text("#explorer [role=status]") == "Not in this run: ghost.")
      // A link within the page keeps the choices.
      try page.go(toFragment: "matrix?backends=sqlite&backends=lmdb&baseline=plist&show=ratio")
      let chosen = try lines()
      #expect(chosen.allSatisfy { $0.fields.count == 2 })
      // The baseline need not be shown.
      #expect(chosen.flatMap(\.fields).allSatisfy { $0.figure.hasSuffix("×") })
      try page.click("nav a[href='#memory']")
      #expect(try lines() == chosen)
      #expect(try page.evaluate("location.hash", as: String.self).hasPrefix("#memory?backends=sqlite"))
      try page.go(toFragment: "matrix?backends=none")
      #expect(try page.text("#explorer [role=status]").hasPrefix("Nothing is chosen"))
      // A line without the baseline has neither factors nor times.
      try page.go(toFragment: "matrix?baseline=defaults&show=ratio")
      let figures = try lines().flatMap(\.fields).map(\.figure)
      #expect(figures.contains("no baseline") && !figures.contains { $0.hasSuffix("s") })
      try page.done()
    }

    @Test func `every figure of every choice is the summary's`() throws {
      var random = SystemRandomNumberGenerator()
      let names: [String] = try page.evaluate(Self.columns)
      for _ in 0..<40 {
        func pick(_ name: String, _ values: [String]) -> String {
          "\(name)=\(values.randomElement(using: &random)!.replacing("+", with: "%2B"))"
        }
        var parts = [
          pick("promise", ["as%20shipped%20(intact)", "as%20shipped%20(durable)", "intact", "durable"]),
          pick("scale", ["log", "linear"]), pick("chart", ["save-one", "read-one", "load-all"]), pick("sort", names),
          pick("baseline", names.dropFirst() + ["fastest"]),
        ]
        for name in names.dropFirst() where Bool.random(using: &random) { parts.append(pick("backends", [name])) }
        let fragment = "matrix?" + parts.joined(separator: "&")
        try page.go(toFragment: fragment)
        let lines = try lines()
        expectFigures(lines)
        // Only rows that cannot win, such as work-alikes, are faster than the fastest.
        if fragment.contains("baseline=fastest") {
          for field in lines.flatMap(\.fields) where field.rest.hasPrefix("0.") {
            #expect(try !row(field.cell).canWin, "\(fragment) \(field)")
          }
        }
        #expect(page.problems == [], "\(fragment)")
      }
      try page.done()
    }
  }
}
