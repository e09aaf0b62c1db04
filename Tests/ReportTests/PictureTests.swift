import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageStatistics
import Testing

@Suite struct ChartTests {
  @Test func `ticks are round, in order, and have room`() throws {
    for (low, high) in [(1.0, 3.0), (0.9, 1.1), (12, 95_000), (3, 4e9), (5e-3, 7)] {
      let scale = try #require(LogScale([low, high], pixels: (0, 300)))
      let ticks = scale.ticks(across: NumberFormat.time)
      #expect(!ticks.isEmpty && ticks == ticks.sorted())
      for (left, right) in zip(ticks, ticks.dropFirst()) {
        let widths = [left, right].map { Canvas.width(of: NumberFormat.time($0), size: 11) }
        #expect(scale(right) - scale(left) > (widths[0] + widths[1]) / 2)
      }
    }
    #expect(LogScale([0, -1, .infinity], pixels: (0, 1)) == nil)
    #expect(LinearScale(most: 47, pixels: (0, 100)).ticks == [0, 10, 20, 30, 40])
    #expect(LinearScale(most: 0, pixels: (0, 100)).ticks == [0])
  }

  @Test func `long names are broken at spaces, then after a hyphen, colon or comma, and lose nothing`() {
    let name = "sqlite:journal=delete:statements=fresh in a workload with a name"
    let lines = Canvas.wrapped(name, width: 120, size: 12)
    #expect(lines.count > 2)
    for line in lines { #expect(Canvas.width(of: line, size: 12) <= 120) }
    #expect(lines.joined().filter { $0 != " " } == name.filter { $0 != " " })
    #expect(
      Canvas.wrapped("launch-warm:until=screen, 10,000 records", width: 90, size: 11) == [
        "launch-warm:", "until=screen,", "10,000 records",
      ])
    #expect(Canvas.wrapped("save-one, 100 records", width: 300, size: 11) == ["save-one, 100 records"])
    #expect(Canvas.leastWidth(of: "sqlite-queue", size: 11) == Canvas.width(of: "sqlite-", size: 11))
    #expect(Canvas.cut("short", width: 100, size: 12) == "short")
    #expect(Canvas.cut(name, width: 100, size: 12).hasSuffix("..."))
  }

  @Test func `the matrix picture keeps every word whole`() throws {
    let names = ["launch-warm:until=screen, 10,000 records", "relational:unindexed, 1,000 records, 4 threads, cold"]
    let columns = ["sqlite:journal=delete:statements=fresh", "object-graph", "lmdb"]
    let field = HeatChart.Field(text: "1.2 ms", detail: "3,600× ×1", ratio: 3600, isBest: false, hover: "h")
    let chart = HeatChart(
      id: "m", title: "T", summary: "S", note: "N", columns: columns,
      rows: names.map { (name: $0, fields: columns.map { _ in field }) })
    let texts = self.texts(chart.file()).map(\.words)
    let pieces = Set(texts.flatMap { $0.split(separator: " ").map(String.init) })
    for part in [
      "launch-warm:", "until=screen,", "10,000", "records", "relational:", "unindexed,", "1,000", "cold", "sqlite:",
      "statements=fresh", "object-", "graph", "lmdb",
    ] {
      #expect(pieces.contains { $0.contains(part) }, "\(part) is not whole in \(pieces.sorted())")
    }
    let all = texts.joined().filter { $0 != " " }
    for name in names { #expect(all.contains(name.filter { $0 != " " })) }
  }

  @Test func `coinciding lines are both visible, and their marks are side by side`() throws {
    func line(_ index: Int, _ name: String, _ factor: Double) -> GrowthChart.Line {
      let points = [100.0, 1000, 10_000].map { GrowthChart.Point(x: $0, y: 6e5 * factor, hover: "h") }
      let fit = GrowthFit(points.map { ($0.x, $0.y) }, rounds: [:])
      return .init(mark: SeriesMark(index: index), name: name, points: points, curve: fit!.curve)
    }
    func chart(_ factor: Double) -> GrowthChart {
      GrowthChart(
        id: "c", title: "T", summary: "S", note: "N", unit: NumberFormat.time,
        lines: [line(0, "sqlite", 1), line(1, "sqlite-queue", factor), line(2, "plist", 400)])
    }
    func widths(_ chart: GrowthChart) -> [String] {
      chart.file().matches(of: #/<path class="line s\d"[^>]*?(?:style="stroke-width: ([\d.]+)")?\/>/#)
        .map { $0.1.map(String.init) ?? "" }
    }
    // The first of two coinciding lines is wider.
    #expect(widths(chart(1.02)) == ["5.5", "", ""])
    #expect(widths(chart(9)) == ["", "", ""])
    func circles(_ chart: GrowthChart) -> [Double] {
      chart.file().matches(of: #/<circle class="s0" cx="([\d.]+)"/#).compactMap { Double($0.1) }
    }
    let (marks, apart) = (circles(chart(1.02)), circles(chart(9)))
    #expect(marks.count == 4 && apart.count == 4, "three points and one at the name")
    for (moved, x) in zip(marks.prefix(3), apart) { #expect(moved == x - 3) }
    // Names have room for their height.
    let names = texts(chart(1.02).file()).filter { ["sqlite", "sqlite-queue", "plist"].contains($0.words) }
    #expect(names.count == 3)
    let heights = names.map(\.y).sorted()
    for (upper, lower) in zip(heights, heights.dropFirst()) { #expect(lower - upper >= 13.9) }
  }

  @Test func `marks on one spot are moved by at most their own size`() {
    let line = [(x: 10.0, y: 50.0), (x: 100.0, y: 50.0)]
    let three = Overlap([line, line, line])
    #expect(three.shifts == [[-6, -6], [0, 0], [6, 6]] && three.above == [2, 1, 0])
    let five = Overlap(Array(repeating: line, count: 5))
    #expect(five.shifts.joined().allSatisfy { abs($0) <= 6 })
    // Lines with one common point cross and do not coincide.
    let crossing = Overlap([line, [(10, 50), (100, 90)]])
    #expect(crossing.shifts == [[-3, 0], [3, 0]] && crossing.above == [0, 0])
  }

  /// Returns the texts of a picture with their heights.
  private func texts(_ svg: String) -> [(words: String, y: Double)] {
    svg.matches(of: #/<text x="[\d.-]+" y="([\d.-]+)"[^>]*>([^<]*)</#).map { (String($0.2), Double($0.1) ?? .nan) }
  }
}

/// The picture that stands for a report where a link to it is shown.
@Suite struct CardTests {
  /// `GoldenTests` has the text of the card.
  @Test func `the card is legible in a thumbnail, and has its colours in itself`() throws {
    let file = try #require(try SampleRun.model().document.card).file()
    // Programs that make images know no variables.
    #expect(!file.contains("var(") && !file.contains("prefers-color-scheme") && file.contains("fill: #1c2024"))
    let sizes = file.matches(of: #/font-size: (\d+)px" x/#).compactMap { Double($0.1) }
    #expect(sizes.count >= 3 && (sizes.dropFirst().first ?? 0) >= 40)
    let heights = file.matches(of: #/ y="([\d.]+)"/#).compactMap { Double($0.1) }
    #expect(heights.allSatisfy { $0 <= 630 })
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/rsvg-convert"),
      "librsvg2-bin is missing, which makes card.png"))
  func `the card as an image replaces only images of this suite`() throws {
    try SampleRun.withModel { model, url in
      let formats = try ReportFormats.named(["png"])
      let file = url.appendingPathComponent("card.png")
      for _ in 0..<2 {
        try model.write(formats: formats)
        let image = try Data(contentsOf: file)
        #expect(image.starts(with: [0x89] + Array("PNG\r\n\u{1a}\n".utf8)))
        // Width and height are in the header, as four bytes each.
        #expect(Array(image[16..<24]) == [0, 0, 4, 176, 0, 0, 2, 118])
        #expect(try runProgram(["/usr/bin/python3", "-c", Self.checksums, file.path]).status == 0)
      }
      try Data([0x89] + Array("PNG of somebody".utf8)).write(to: file)
      #expect(throws: UsageError.self) { try model.write(formats: formats) }
    }
  }

  /// Compares the checksum of each chunk with zlib's.
  private static let checksums = """
    import struct, sys, zlib
    data, at = open(sys.argv[1], "rb").read(), 8
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        assert zlib.crc32(data[at + 4:at + 8 + length]) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        at += 12 + length
    """

  @Test func `a long answer is written smaller and whole, and a run without an answer has no card`() {
    let long = Array(repeating: "sqlite:journal=wal at 100 to 1,000 records", count: 4).joined(separator: "; ")
    for picture in [nil, GrowthChart(id: "g", title: "G", summary: "s", note: "", unit: { "\($0)" }, lines: [])] {
      let card = CardChart(title: "T", headline: long, picture: picture, machine: "")
      let lines = card.file().matches(of: #/<text class="strong"[^>]*>([^<]*)</#).map { String($0.1) }
      #expect(lines.joined(separator: " ") == long)
    }
    let engine = SyntheticRun.Engine(id: "a", time: .init(constant: 1e5, coefficient: 0, exponent: 1))
    let run = SyntheticRun(engines: [engine], rounds: 1)
    #expect(run.model.document.card == nil)
    #expect(throws: UsageError.self) {
      try ReportFormat.png.write(RunReport(run.model), to: URL(fileURLWithPath: NSTemporaryDirectory()))
    }
  }
}
