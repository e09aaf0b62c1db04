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

  private func text(_ cells: [Cell], rounds: Int = 6, syncCost: Double? = 86_000) -> String {
    let environment = changed(SampleRun.environment) { $0.syncCost = syncCost }
    let model = ReportModel(sampling: Plan(of: cells, rounds: rounds), environment: environment)
    return TerminalWriter.text(model.document)
  }

  private func lines(_ cells: [Cell]) -> [String] { text(cells).split(separator: "\n").map(String.init) }

  @Test func `every table of nine backends and many sizes fits`() throws {
    let cells = backends.flatMap { backend in
      [4, 100, 1000, 10_000, 100_000, 1_000_000].map { SampleRun.save(backend, $0) } + [
        SampleRun.save(backend, 1_000_000, .durable), SampleRun.read(backend),
        SampleRun.read(backend, "find-range:select=10%:index=no"),
      ]
    }
    let lines = lines(cells)
    for line in lines { #expect(line.count <= TerminalWriter.width, "\(line)") }
    for backend in backends { #expect(lines.contains { $0.hasPrefix(backend.id) }) }
    // The largest size keeps its column when others are left out.
    let table = try #require(lines.firstIndex { $0.hasPrefix("One small save") })
    #expect(lines[table + 1].contains("1,000,000"))
    #expect(lines.contains("  journal=delete:statements=fresh:connection=per-operation"))
  }

  @Test func `long names of cells stand above their figures`() {
    var cells = backends.map { SampleRun.read($0, "find-range:select=10%:index=no") }
    cells.append(SampleRun.read(SampleRun.fresh, "find-range:select=10%:index=no"))
    cells[9].threads = 8
    let lines = lines(cells)
    for line in lines { #expect(line.count <= TerminalWriter.width, "\(line)") }
    #expect(lines.contains(cells[9].name))
    // One that is wider than the screen breaks between its options.
    #expect(cells[8].name.count > TerminalWriter.width)
    #expect(lines.joined().contains(cells[8].name))
  }

  @Test func `a run at one level is titled by it`() {
    let text = text(backends.prefix(2).map { SampleRun.save($0, 100, .durable) })
    #expect(text.contains("One small save into a store of N records, every library set to durable\n"))
  }

  @Test func `other shapes of the small save are in the second table`() {
    let cells = [100, 4000].map { Cell("sqlite", records: 100, recordBytes: $0) }
    #expect(lines(cells).contains { $0.hasPrefix("save-one 100 4000B") })
  }

  @Test func `counts alone call no backend faster`() {
    let text = text([SampleRun.sqlite, SampleRun.lmdb].map { SampleRun.save($0, 100) }, rounds: 0)
    #expect(text.replacing("\n  ", with: " ").contains("nothing was timed, so no backend is called faster."))
    #expect(!text.contains("faster than"))
    #expect(!text.contains("Noise"))
  }

  @Test func `a disk that does not flush is called so`() {
    let cells = [SampleRun.save(SampleRun.sqlite, 100)]
    #expect(text(cells, syncCost: 19_000).contains("19 µs: this disk does not flush."))
    #expect(!text(cells, syncCost: 20_000).contains("flush"))
  }

  @Test func `a row is one line as soon as it has a value`() {
    let cells = [SampleRun.save(SampleRun.sqlite, 100), SampleRun.read(SampleRun.memory)]
    let rows = ReportModel(sampling: Plan(of: cells)).rows
    #expect(Phrases.line(rows[0]) == "sqlite/save-one/100/shipped: 623 µs, 12 kB/op, 4 syncs/op")
    #expect(Phrases.line(rows[1]) == "memory/read-one/10000/-: 31 ns (batched)")
    let failed = changed(rows[0]) { ($0.status, $0.note) = (.failed, "signal 11") }
    #expect(Phrases.line(failed) == "sqlite/save-one/100/shipped: FAILED, signal 11")
  }
}
