import Foundation
import StorageContract
import StorageStatistics

/// A chart of an operation's cost by number of records, on logarithmic axes, with a fitted curve for each backend.
struct GrowthChart: Chart {
  struct Line: Sendable {
    var mark: SeriesMark
    var name: String
    var points: [Point]
    var curve: GrowthCurve
    /// Whether the line is of the earlier of two compared runs: dashed, with hollow marks and without a name. Nil in a
    /// chart of one run.
    var isBefore: Bool?

    fileprivate var dashes: String? {
      guard let isBefore else { return mark.dashes }
      return isBefore ? "5 4" : nil
    }

    fileprivate func shape(x: Double, y: Double, size: Double = 4, hover: String? = nil) -> Element {
      isBefore.map { mark.dot(x: x, y: y, size: size, isHollow: $0, hover: hover) }
        ?? mark.shape(x: x, y: y, size: size, hover: hover)
    }
  }

  struct Point: Sendable {
    var x: Double
    var y: Double
    var interval: MedianInterval?
    var hover: String
  }

  var id: String
  var title: String
  var summary: String
  var note: String
  /// The function that formats a number as a label of the vertical axis, such as `10 µs`.
  var unit: @Sendable (Double) -> String
  var lines: [Line]
  /// The numbers that the vertical axis must include, so that several charts have equal axes.
  var range: [Double] = []
  /// Horizontal lines that mark limits. Each has a value and a name, such as `one frame, 16.7 ms`.
  var limits: [(value: Double, name: String)] = []

  var plotHeight = 230.0

  /// The horizontal gap between the plot and the names at its right, in pixels.
  private static let beside = 24.0

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let left = 58.0
    let widestName = lines.map { Canvas.width(of: $0.name, size: 11) }.max() ?? 0
    let labels = Self.beside + widestName
    let right = canvas.width - (labels <= canvas.width * 0.4 ? max(112, labels) : 112)
    let top = canvas.height + 6
    let bottom = top + plotHeight
    let ys = lines.flatMap { $0.points.flatMap { [$0.y] + ($0.interval.map { [$0.low, $0.high] } ?? []) } }
    let shown = limits.filter { limit in
      limit.value > (ys.min() ?? 0) / 4 && limit.value < (ys.max() ?? 0) * 4
    }
    guard
      let x = LogScale(lines.flatMap { $0.points.map(\.x) }, pixels: (left, right)),
      let y = LogScale(ys + range + shown.map(\.value), pixels: (bottom, top))
    else { return }
    axes(&canvas, x, y)
    for limit in shown { canvas.line(left, y(limit.value), right, y(limit.value), "limit") }
    let overlap = Overlap(lines.map { line in line.points.map { (x($0.x), y($0.y)) } })
    for (index, line) in lines.enumerated() { draw(line, index, overlap, on: &canvas, x, y) }
    for limit in shown {
      // A translucent background keeps the limit's name readable over the lines.
      let width = Canvas.width(of: limit.name, size: 11)
      let from = clearest(y(limit.value) - 15, width, x, y)
      canvas.rect(x: from, y: y(limit.value) - 15, width: width, height: 14, "veil")
      canvas.text(limit.name, x: from + 2, y: y(limit.value) - 4, "note")
    }
    names(overlap, &canvas, x, y)
    canvas.height = bottom + 34
    if widestName > canvas.width - right - Self.beside { legend(&canvas) }
  }

  private func axes(_ canvas: inout Canvas, _ x: LogScale, _ y: LogScale) {
    let (left, right) = x.pixels
    let (bottom, top) = y.pixels
    // The labels are 12 pixels high.
    for tick in y.ticks({ _ in 12 }) {
      canvas.line(left, y(tick), right, y(tick), "grid")
      canvas.text(unit(tick), x: left - 6, y: y(tick) + 4, "tick", anchor: .end)
    }
    for tick in x.ticks(across: { NumberFormat.short(Quantity.whole($0)) }) {
      canvas.line(x(tick), top, x(tick), bottom, "grid")
      canvas.text(NumberFormat.short(Quantity.whole(tick)), x: x(tick), y: bottom + 15, "tick", anchor: .middle)
    }
    canvas.line(left, bottom, right, bottom, "axis")
    canvas.text("records in the store", x: (left + right) / 2, y: bottom + 30, "note", anchor: .middle)
  }

  private func clearest(_ top: Double, _ width: Double, _ x: LogScale, _ y: LogScale) -> Double {
    let (left, right) = x.pixels
    let passing: [Double] = lines.flatMap { line -> [Double] in
      sizes(line).filter { size in
        let height: Double = y(line.curve.value(at: size))
        return height > top - 3 && height < top + 17
      }.map { x($0) }
    }
    func behind(_ from: Double) -> Int { passing.count { $0 > from - 4 && $0 < from + width + 4 } }
    let middle: Double = (left + right - width) / 2
    return [left + 2, middle, right - width - 2].min { behind($0) < behind($1) } ?? left + 2
  }

  private func draw(
    _ line: Line, _ index: Int, _ overlap: Overlap, on canvas: inout Canvas, _ x: LogScale, _ y: LogScale
  ) {
    let text = Canvas.text
    let band = line.points.filter { $0.interval != nil }
    if band.count > 1 {
      let upper = band.map { "\(text(x($0.x))),\(text(y($0.interval?.high ?? $0.y)))" }
      let lower = band.reversed().map { "\(text(x($0.x))),\(text(y($0.interval?.low ?? $0.y)))" }
      canvas.add(
        Element("polygon", ["class": "band \(line.mark.css)", "points": (upper + lower).joined(separator: " ")]))
    }
    if line.points.count > 1 {
      let path = sizes(line).enumerated().map { index, size in
        "\(index == 0 ? "M" : "L")\(text(x(size))) \(text(y(line.curve.value(at: size))))"
      }.joined()
      // A line below another is drawn wider, so that it is visible on both sides.
      let above = overlap.above[index]
      let style = above > 0 ? "stroke-width: \(text(2 + 3.5 * Double(above)))" : nil
      canvas.add(
        Element("path", ["class": "line \(line.mark.css)", "d": path])
          .with("stroke-dasharray", line.dashes).with("style", style))
    }
    for (point, shift) in zip(line.points, overlap.shifts[index]) {
      canvas.add(line.shape(x: x(point.x) + shift, y: y(point.y), hover: "\(line.name), \(point.hover)"))
    }
  }

  private func sizes(_ line: Line) -> [Double] {
    let steps = line.points.count > 20 ? 1 : 6
    return zip(line.points, line.points.dropFirst()).flatMap { left, right in
      (0..<steps).map { step in left.x * pow(right.x / left.x, Double(step) / Double(steps)) }
    } + line.points.suffix(1).map(\.x)
  }

  private func names(_ overlap: Overlap, _ canvas: inout Canvas, _ x: LogScale, _ y: LogScale) {
    let right = x.pixels.1
    let (bottom, top) = y.pixels
    let gap = 14.0
    var ends = zip(lines, overlap.shifts).filter { $0.0.isBefore != true }.compactMap { line, shifts in
      line.points.last.map { (line: line, from: (x($0.x) + (shifts.last ?? 0), y($0.y)), at: y($0.y)) }
    }.sorted { $0.at < $1.at }
    var least = top
    for index in ends.indices {
      ends[index].at = max(ends[index].at, least)
      least = ends[index].at + gap
    }
    var most = max(bottom, top + gap * Double(ends.count - 1))
    for index in ends.indices.reversed() {
      ends[index].at = min(ends[index].at, most)
      most = ends[index].at - gap
    }
    for end in ends {
      canvas.line(end.from.0 + 5, end.from.1, right + 8, end.at, "leader")
      canvas.add(end.line.shape(x: right + 14, y: end.at, size: 3.2))
      let name = Canvas.cut(end.line.name, width: canvas.width - right - Self.beside, size: 11)
      canvas.text(name, x: right + 21, y: end.at + 4, "small")
    }
  }

  private func legend(_ canvas: inout Canvas) {
    var x = 10.0
    for line in lines where line.isBefore != true {
      let width = 22 + Canvas.width(of: line.name, size: 11)
      if x > 10, x + width > canvas.width { (x, canvas.height) = (10, canvas.height + 16) }
      canvas.add(line.shape(x: x, y: canvas.height + 8, size: 3.2))
      canvas.text(line.name, x: x + 8, y: canvas.height + 12, "small")
      x += width
    }
    canvas.height += 20
  }
}

/// The overlap of lines in a chart. Overlapping symbols are shifted apart, and covered lines are drawn wider.
struct Overlap {
  /// The horizontal shift of each symbol in pixels, one array for each line, so that overlapping symbols stay visible.
  let shifts: [[Double]]
  /// For each line of the chart, the number of other lines that cover a part of this line.
  let above: [Int]

  private static let near = 5.0
  private static let step = 6.0

  init(_ lines: [[(x: Double, y: Double)]]) {
    func isNear(_ one: (x: Double, y: Double), _ other: (x: Double, y: Double)) -> Bool {
      abs(one.x - other.x) < Self.near && abs(one.y - other.y) < Self.near
    }
    shifts = lines.enumerated().map { index, line in
      line.map { point in
        let sharing = lines.indices.filter { $0 == index || lines[$0].contains { isNear($0, point) } }
        let rank = Double(sharing.firstIndex(of: index) ?? 0)
        // More than three symbols at a point are placed closer together, so that the outer ones stay near the point.
        let step = min(Self.step, 2 * Self.step / Double(max(1, sharing.count - 1)))
        return (rank - Double(sharing.count - 1) / 2) * step
      }
    }
    above = lines.indices.map { index in
      lines[(index + 1)...].count { other in
        // Lines overlap if they share at least one segment between two marks.
        let shared = lines[index].map { point in other.contains { isNear($0, point) } }
        return zip(shared, shared.dropFirst()).contains { $0 && $1 }
      }
    }
  }
}
