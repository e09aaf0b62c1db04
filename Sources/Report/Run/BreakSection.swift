import StorageContract
import StorageRunFiles
import StorageStatistics

/// The report section on breakpoints: numbers of records from which a cost grows faster or slower than before.
enum BreakSection {
  static func section(_ model: ReportModel) -> Section? {
    let curves = model.series.filter { !$0.isFloor }.flatMap(Self.curves)
    guard !curves.isEmpty else { return nil }
    var section = Section(id: "breaks", title: "Where the laws break")
    let broken = curves.filter { $0.found != nil }
    section.lead = [
      broken.isEmpty
        ? "None of the \(curves.count) curves breaks: one law fits each as well as two, as far as chance can tell."
        : "\(broken.count) of \(curves.count) curves \(broken.count == 1 ? "breaks" : "break"): two laws fit better than one by more than chance."
    ]
    section.lists = [.init(items: broken.compactMap(sentence))]
    section.tables = [
      Table(
        "Laws from the smallest size to the largest", of: curves,
        [
          .of(\.series, .backend), .of(\.series, .workload), .of(\.series, .asked), .words("what", \.what),
          .number("sizes") { String($0.fit.curve.knots.count) },
          .words("law") { GrowthPhrases.law($0.fit, $0.unit) }, .words("residual") { GrowthPhrases.residual($0.fit) },
          .words("break at") { place($0) },
        ], isFolded: true)
    ]
    section.guide = [
      "A break needs \(Breakpoint.fewestSizes) sizes or more. Two power laws with one change of exponent or factor must lie closer to the measurements than one law does. Of 100 curves drawn from the one law with its noise, fewer than one may look as broken. The interval shows how precisely the break is located; a step is located only between two neighbouring sizes.",
      "What is filled up there the curve does not say: a cache, a level of a tree, the memory. The size of the files at the break is a hint.",
    ]
    return section
  }

  /// The curve of one cost of a backend, such as time or memory, by number of records.
  private struct Curve: Sendable {
    var series: CostSeries
    var what: String
    var subject: String
    var unit: @Sendable (Double) -> String
    var fit: GrowthFit
    var found: Breakpoint?
    var isPlural: Bool { what == "bytes written" }
  }

  private static func curves(_ series: CostSeries) -> [Curve] {
    let memory = GrowthFit(
      series.rows.compactMap { row in
        row.cost?.peakAnonBytes.flatMap { $0 > 0 ? (Double(row.cell.records), Double($0)) : nil }
      })
    let all: [(String, String, @Sendable (Double) -> String, GrowthFit?)] = [
      ("time", "the time", NumberFormat.time, series.time),
      ("bytes written", "the bytes written", NumberFormat.bytes, series.bytesWritten),
      ("memory", "the peak of anonymous memory", NumberFormat.bytes, memory),
      ("files", "the size of the files", NumberFormat.bytes, series.fileSize),
    ]
    return all.compactMap { what, subject, unit, fit in
      guard let fit, fit.curve.knots.count >= Breakpoint.fewestSizes else { return nil }
      return Curve(series: series, what: what, subject: subject, unit: unit, fit: fit, found: fit.breakPoint())
    }
  }

  private static func sentence(_ curve: Curve) -> RichText? {
    guard let found = curve.found else { return nil }
    let name = [
      curve.series.name, "\(curve.series.pattern.workload)", curve.series.durability.map(\.rawValue),
    ].compactMap { $0 }.joined(separator: ", ")
    // The file size at the breakpoint is a hint at the cause, such as a cache that is full.
    let files = curve.what == "files" ? nil : curve.series.fileSize?.curve.value(at: found.size)
    let hint = files.map { ", where the files have \(NumberFormat.bytes($0))" } ?? ""
    return switch found.shape {
    case .bend(let before, let after):
      "\(name): \(curve.subject) \(curve.isPlural ? "go" : "goes") with N^\(GrowthPhrases.number(before)) up to \(place(curve, "records "))\(hint), and with N^\(GrowthPhrases.number(after)) beyond."
    case .step(let factor):
      "\(name): \(curve.subject) \(curve.isPlural ? "take" : "takes") a step to \(NumberFormat.ratio(factor)) between \(ends(found, "and")) records\(hint)."
    }
  }

  private static func place(_ curve: Curve, _ unit: String = "") -> String {
    curve.found.map { "\(NumberFormat.about($0.size)) \(unit)(\(ends($0, "to")))" } ?? "none"
  }

  private static func ends(_ found: Breakpoint, _ word: String) -> String {
    [found.interval.lowerBound, found.interval.upperBound].map { NumberFormat.about($0).dropFirst() }
      .joined(separator: " \(word) ")
  }
}
