import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

@Suite struct TerminalTests {
  private let backends = [
    "plist", "archive", "defaults", "sqlite", "sqlite-queue", "object-graph", "lmdb", "memory",
    "sqlite:journal=delete:statements=fresh:connection=per-operation",
  ].map { Spec(verbatim: $0) }

  private func model(
    _ cells: [Cell], rounds: Int = 6, environment: MachineEnvironment = SampleRun.environment
  ) -> ReportModel {
    let plan = Plan(
      rounds: rounds,
      cells: cells.map {
        PlannedCell(cell: $0, level: $0.durability == nil ? nil : .intact, engineVersion: "e")
      })
    var builder = SummaryBuilder(plan: plan, machine: "m", run: "r")
    for cell in cells {
      for round in 1...max(1, rounds) where rounds > 0 { builder.add(SampleRun.timed(cell, round: round)) }
      builder.add(SampleRun.counted(cell))
    }
    return ReportModel(
      directory: RunDirectory(path: "results/r"), plan: plan, environment: environment, rows: builder.rows,
      trials: cells.count)
  }

  private func lines(_ model: ReportModel) -> [String] {
    TerminalWriter.text(RunReport(model).document).split(separator: "\n").map(String.init)
  }

  @Test func `every table of nine backends and many sizes fits`() throws {
    var cells: [Cell] = []
    for backend in backends {
      for size in [4, 100, 1000, 10_000, 100_000, 1_000_000] { cells.append(SampleRun.save(backend, size)) }
      cells.append(SampleRun.save(backend, 1_000_000, .durable))
      cells.append(SampleRun.read(backend))
      cells.append(SampleRun.read(backend, "find-range:select=10%:index=no"))
    }
    let lines = lines(model(cells))
    for line in lines { #expect(line.count <= TerminalWriter.width, "\(line)") }
    for backend in backends { #expect(lines.contains { $0.hasPrefix(backend.id) }) }
    // The largest size has its column whatever is left out.
    let table = try #require(lines.firstIndex { $0.hasPrefix("One small save") })
    #expect(lines[table + 1].contains("1,000,000"))
    #expect(lines.contains("  journal=delete:statements=fresh:connection=per-operation"))
  }

  @Test func `long names of cells stand above their figures`() {
    var cells = backends.map { SampleRun.read($0, "find-range:select=10%:index=no") }
    cells.append(SampleRun.read(SampleRun.fresh, "find-range:select=10%:index=no"))
    cells[9].threads = 8
    let lines = lines(model(cells))
    for line in lines { #expect(line.count <= TerminalWriter.width, "\(line)") }
    #expect(lines.contains(cells[9].name))
    // One that is wider than the screen breaks between its options.
    #expect(cells[8].name.count > TerminalWriter.width)
    #expect(lines.joined().contains(cells[8].name))
  }

  @Test func `a run at one level is titled by it`() {
    let text = TerminalWriter.text(
      RunReport(model(backends.prefix(2).map { SampleRun.save($0, 100, .durable) })).document)
    #expect(text.contains("One small save into a store of N records, every library set to durable\n"))
  }

  @Test func `other shapes of the small save are in the second table`() {
    var other = SampleRun.save(SampleRun.sqlite, 100)
    other.recordBytes = 4000
    let lines = lines(model([SampleRun.save(SampleRun.sqlite, 100), other]))
    #expect(lines.contains { $0.hasPrefix("save-one 100 4000B") })
  }

  @Test func `counts alone call nobody faster`() {
    let text = TerminalWriter.text(
      RunReport(model([SampleRun.sqlite, SampleRun.lmdb].map { SampleRun.save($0, 100) }, rounds: 0)).document)
    #expect(text.replacing("\n  ", with: " ").contains("nothing was timed, so no backend is called faster."))
    #expect(!text.contains("faster than"))
    #expect(text.contains("Noise") == false)
  }

  @Test func `a disk that does not flush is called so`() {
    var environment = SampleRun.environment
    environment.syncCost = 19_000
    let cells = [SampleRun.save(SampleRun.sqlite, 100)]
    #expect(
      TerminalWriter.text(RunReport(model(cells, environment: environment)).document).contains(
        "19 us: this disk does not flush.")
    )
    environment.syncCost = 20_000
    #expect(!TerminalWriter.text(RunReport(model(cells, environment: environment)).document).contains("flush"))
  }

  @Test func `a row is one line as soon as it has a value`() {
    let rows = model([SampleRun.save(SampleRun.sqlite, 100), SampleRun.read(SampleRun.memory)]).rows
    #expect(Phrases.line(rows[0]) == "sqlite/save-one/100/shipped: 623 us, 12 kB/op, 4 syncs/op")
    #expect(Phrases.line(rows[1]) == "memory/read-one/10000/-: 31 ns (batched)")
    var failed = rows[0]
    failed.status = .failed
    failed.note = "signal 11"
    #expect(Phrases.line(failed) == "sqlite/save-one/100/shipped: FAILED, signal 11")
  }
}

@Suite struct HistogramTextTests {
  @Test func `a histogram survives its text`() {
    let histogram = HistogramText([(1, 2), (127, 1), (128, 300), (5_000_000_000, 1)])
    #expect(HistogramText(text: histogram.text) == histogram)
    #expect(HistogramText(text: "") == HistogramText())
    #expect(HistogramText(text: "not base64!") == nil)
    #expect(HistogramText(text: Data([1]).base64EncodedString()) == nil)
    #expect(HistogramText(text: Data([0x80]).base64EncodedString()) == nil)
  }
}
