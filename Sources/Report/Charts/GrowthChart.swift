import Foundation
import StorageContract
import StorageStatistics

/// A chart of an operation's cost as the store grows: a line for each backend on log-log axes, with the interval of
/// each size as a band, and the fitted curve between the sizes.
struct GrowthChart: Chart {
  struct Line: Sendable {
    var mark: SeriesMark
    /// The text at the end of the line.
    var name: String
    /// The measured points of the line, by ascending x.
    var points: [Point]
    var curve: GrowthCurve
    /// The run that the line belongs to if the chart compares two runs. Nil for a single run.
    var side: Side?

    /// One of two compared runs. The lines of a backend have the same colour in both.
    enum Side: Sendable {
      /// The earlier run: dashed, with hollow marks, unnamed.
      case before
      /// The later run: solid, with filled marks.
      case now
    }

    /// Lengths of the line's strokes and gaps. Nil for a solid line.
    fileprivate var dashes: String? {
      switch side {
      case nil: mark.dashes
      case .before: "5 4"
      case .now: nil
      }
    }

    /// Returns the line's mark, at a point or beside the name.
    fileprivate func shape(x: Double, y: Double, size: Double = 4, hover: String? = nil) -> Element {
      side.map { mark.dot(x: x, y: y, size: size, isHollow: $0 == .before, hover: hover) }
        ?? mark.shape(x: x, y: y, size: size, hover: hover)
    }
  }

  struct Point: Sendable {
    var x: Double
    var y: Double
    /// The interval of the point's y. Nil if there is none.
    var interval: MedianInterval?
    var hover: String
  }

  var id: String
  var title: String
  var summary: String
  var note: String
  /// A function that formats a tick of the vertical axis.
  var unit: @Sendable (Double) -> String
  var lines: [Line]
  /// Values that the vertical axis includes in addition to those of the lines.
  var range: [Double] = []
  /// Values marked by a horizontal line, with their names.
  var limits: [(value: Double, name: String)] = []

  /// The height of the chart between its axes, in pixels.
  var plotHeight = 230.0

  /// Returns the width for names beside the lines. Names wider than two fifths of the chart are cut and get a legend.
  private func labels(_ canvas: Canvas) -> Double {
    let widest = Self.beside + (lines.map { Canvas.width(of: $0.name, size: 11) }.max() ?? 0)
    return widest <= canvas.width * 0.4 ? max(112, widest) : 112
  }

  /// The space for the mark beside a name, in pixels.
  private static let beside = 24.0

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let left = 58.0
    let right = canvas.width - labels(canvas)
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
    axes(&canvas, x, y, left, right, top, bottom)
    for limit in shown { canvas.line(left, y(limit.value), right, y(limit.value), "limit") }
    let overlap = Overlap(lines.map { line in line.points.map { (x($0.x), y($0.y)) } })
    for (place, line) in lines.enumerated() { draw(line, place, overlap, on: &canvas, x, y) }
    for limit in shown {
      // A translucent background keeps the text readable over the lines.
      let width = Canvas.width(of: limit.name, size: 11)
      let from = clearest(y(limit.value) - 15, width, left, right, x, y)
      canvas.rect(x: from, y: y(limit.value) - 15, width: width, height: 14, "veil")
      canvas.text(limit.name, x: from + 2, y: y(limit.value) - 4, "note")
    }
    names(overlap, &canvas, x, y, right, top, bottom)
    canvas.height = bottom + 34
    let room = canvas.width - right - Self.beside
    if lines.contains(where: { Canvas.width(of: $0.name, size: 11) > room }) { legend(&canvas) }
  }

  private func axes(
    _ canvas: inout Canvas, _ x: LogScale, _ y: LogScale, _ left: Double, _ right: Double, _ top: Double,
    _ bottom: Double
  ) {
    for tick in y.ticksUpwards {
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

  /// Returns the x at which a text crosses the fewest lines: at the left, in the middle or at the right.
  private func clearest(
    _ top: Double, _ width: Double, _ left: Double, _ right: Double, _ x: LogScale, _ y: LogScale
  ) -> Double {
    let passing: [Double] = lines.flatMap { line -> [Double] in
      places(line).filter { place in
        let height: Double = y(line.curve.value(at: place))
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
    let path = places(line).enumerated().map { index, place in
      "\(index == 0 ? "M" : "L")\(text(x(place))) \(text(y(line.curve.value(at: place))))"
    }.joined()
    if line.points.count > 1 {
      var element = Element("path", ["class": "line \(line.mark.css)", "d": path])
      if let dashes = line.dashes { element = element.with("stroke-dasharray", dashes) }
      // A line below another is drawn wider, so that it is visible on both sides.
      if overlap.above[index] > 0 {
        element = element.with("style", "stroke-width: \(text(2 + 3.5 * Double(overlap.above[index])))")
      }
      canvas.add(element)
    }
    for (point, shift) in zip(line.points, overlap.shifts[index]) {
      canvas.add(line.shape(x: x(point.x) + shift, y: y(point.y), hover: "\(line.name), \(point.hover)"))
    }
  }

  /// Returns the x values at which a line is drawn: the measured ones and some between them.
  private func places(_ line: Line) -> [Double] {
    let steps = line.points.count > 20 ? 1 : 6
    var places: [Double] = []
    for (left, right) in zip(line.points, line.points.dropFirst()) {
      for step in 0..<steps { places.append(left.x * pow(right.x / left.x, Double(step) / Double(steps))) }
    }
    return places + line.points.suffix(1).map(\.x)
  }

  /// Draws each line's name at its end. Names that would overlap are moved apart.
  private func names(
    _ overlap: Overlap, _ canvas: inout Canvas, _ x: LogScale, _ y: LogScale, _ right: Double, _ top: Double,
    _ bottom: Double
  ) {
    let gap = 14.0
    var ends = zip(lines, overlap.shifts).filter { $0.0.side != .before }.compactMap { line, shifts in
      line.points.last.map { (line: line, from: (x($0.x) + (shifts.last ?? 0), y($0.y)), at: y($0.y)) }
    }
    ends.sort { $0.at < $1.at }
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

  /// Draws a legend of the lines' full names, for names that do not fit beside the lines.
  private func legend(_ canvas: inout Canvas) {
    var x = 10.0
    for line in lines where line.side != .before {
      let width = 22 + Canvas.width(of: line.name, size: 11)
      if x > 10, x + width > canvas.width { (x, canvas.height) = (10, canvas.height + 16) }
      canvas.add(line.shape(x: x, y: canvas.height + 8, size: 3.2))
      canvas.text(line.name, x: x + 8, y: canvas.height + 12, "small")
      x += width
    }
    canvas.height += 20
  }
}

/// The overlaps of lines in a chart, and the shifts that keep their marks distinguishable.
struct Overlap {
  /// The shift of each mark of each line in pixels, at most a mark's size, so that marks at one point are side by side.
  let shifts: [[Double]]
  /// The number of later lines that overlap each line. Later lines are drawn above earlier ones.
  let above: [Int]

  /// The distance below which two points are indistinguishable, in pixels.
  private static let near = 5.0
  /// The distance between two marks at one point, in pixels.
  private static let step = 6.0

  /// Finds the overlaps of lines.
  ///
  /// - Parameter lines: The points of each line in pixels, from left to right.
  init(_ lines: [[(x: Double, y: Double)]]) {
    func isNear(_ one: (x: Double, y: Double), _ other: (x: Double, y: Double)) -> Bool {
      abs(one.x - other.x) < Self.near && abs(one.y - other.y) < Self.near
    }
    shifts = lines.enumerated().map { index, line in
      line.map { point in
        let sharing = lines.indices.filter { $0 == index || lines[$0].contains { isNear($0, point) } }
        let place = Double(sharing.firstIndex(of: index) ?? 0)
        // More than three marks would be drawn too far from their point, so these are closer together.
        let step = min(Self.step, 2 * Self.step / Double(max(1, sharing.count - 1)))
        return (place - Double(sharing.count - 1) / 2) * step
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
