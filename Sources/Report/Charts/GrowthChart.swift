import Foundation
import StorageContract
import StorageStatistics

/// What operations cost as the store grows: a line for each backend on log-log axes, with the interval of each size
/// as a band, and the law between the sizes.
struct GrowthChart: Chart {
  /// One backend's line.
  struct Line: Sendable {
    /// How it is marked.
    var mark: SeriesMark
    /// What stands at its end.
    var name: String
    /// The measured points, by ascending x.
    var points: [Point]
    /// The curve through them.
    var curve: GrowthCurve
  }

  /// A measured point.
  struct Point: Sendable {
    var x: Double
    var y: Double
    /// The ends of its interval, where it has one.
    var interval: MedianInterval?
    /// What is shown while a pointer rests on it.
    var hover: String
  }

  var id: String
  var title: String
  var summary: String
  /// What the axes show.
  var note: String
  /// Writes a tick of the vertical axis.
  var unit: @Sendable (Double) -> String
  var lines: [Line]
  /// Values that are marked across the picture, with what they are.
  var limits: [(value: Double, name: String)] = []

  private static let labels = 112.0
  private static let plotHeight = 230.0

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let left = 58.0
    let right = canvas.width - Self.labels
    let top = canvas.height + 6
    let bottom = top + Self.plotHeight
    let ys = lines.flatMap { $0.points.flatMap { [$0.y] + ($0.interval.map { [$0.low, $0.high] } ?? []) } }
    let shown = limits.filter { limit in
      limit.value > (ys.min() ?? 0) / 4 && limit.value < (ys.max() ?? 0) * 4
    }
    guard
      let x = LogScale(lines.flatMap { $0.points.map(\.x) }, pixels: (left, right)),
      let y = LogScale(ys + shown.map(\.value), pixels: (bottom, top))
    else { return }
    axes(&canvas, x, y, left, right, top, bottom)
    for limit in shown { canvas.line(left, y(limit.value), right, y(limit.value), "limit") }
    for line in lines { draw(line, on: &canvas, x, y) }
    for limit in shown {
      // A veil, so that the words can be read over the lines that pass there.
      let width = Canvas.width(of: limit.name, size: 11)
      canvas.rect(x: left + 2, y: y(limit.value) - 15, width: width, height: 14, "veil")
      canvas.text(limit.name, x: left + 4, y: y(limit.value) - 4, "note")
    }
    names(&canvas, x, y, right, top, bottom)
    canvas.height = bottom + 34
    if lines.contains(where: { Canvas.width(of: $0.name, size: 11) > Self.labels - 22 }) { legend(&canvas) }
  }

  private func axes(
    _ canvas: inout Canvas, _ x: LogScale, _ y: LogScale, _ left: Double, _ right: Double, _ top: Double,
    _ bottom: Double
  ) {
    for tick in y.ticksUpwards {
      canvas.line(left, y(tick), right, y(tick), "grid")
      canvas.text(unit(tick), x: left - 6, y: y(tick) + 4, "tick", anchor: .end)
    }
    for tick in x.ticks(across: { NumberFormat.short(Int($0.rounded())) }) {
      canvas.line(x(tick), top, x(tick), bottom, "grid")
      canvas.text(NumberFormat.short(Int(tick.rounded())), x: x(tick), y: bottom + 15, "tick", anchor: .middle)
    }
    canvas.line(left, bottom, right, bottom, "axis")
    canvas.text("records in the store", x: (left + right) / 2, y: bottom + 30, "note", anchor: .middle)
  }

  private func draw(_ line: Line, on canvas: inout Canvas, _ x: LogScale, _ y: LogScale) {
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
      if let dashes = line.mark.dashes { element = element.with("stroke-dasharray", dashes) }
      canvas.add(element)
    }
    for point in line.points {
      canvas.add(line.mark.shape(x: x(point.x), y: y(point.y), hover: "\(line.name), \(point.hover)"))
    }
  }

  /// The measured places and some between them, at which the curve is drawn.
  private func places(_ line: Line) -> [Double] {
    let steps = line.points.count > 20 ? 1 : 6
    return zip(line.points, line.points.dropFirst()).flatMap { left, right in
      (0..<steps).map { left.x * pow(right.x / left.x, Double($0) / Double(steps)) }
    } + line.points.suffix(1).map(\.x)
  }

  /// Each line's name at its end; names that would lie on each other are moved apart.
  private func names(
    _ canvas: inout Canvas, _ x: LogScale, _ y: LogScale, _ right: Double, _ top: Double, _ bottom: Double
  ) {
    let gap = 14.0
    var ends = lines.compactMap { line in line.points.last.map { (line: line, from: (x($0.x), y($0.y)), at: y($0.y)) } }
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
      canvas.add(end.line.mark.shape(x: right + 14, y: end.at, size: 3.2))
      let name = Canvas.cut(end.line.name, width: Self.labels - 22, size: 11)
      canvas.text(name, x: right + 21, y: end.at + 4, "small")
    }
  }

  /// All names in full, where they do not fit beside the lines.
  private func legend(_ canvas: inout Canvas) {
    var x = 10.0
    for line in lines {
      let width = 22 + Canvas.width(of: line.name, size: 11)
      if x > 10, x + width > canvas.width { (x, canvas.height) = (10, canvas.height + 16) }
      canvas.add(line.mark.shape(x: x, y: canvas.height + 8, size: 3.2))
      canvas.text(line.name, x: x + 8, y: canvas.height + 12, "small")
      x += width
    }
    canvas.height += 20
  }
}
