import StorageStatistics

/// A chart on a logarithmic axis. Each row shows a value with its confidence interval, or the values of two runs,
/// joined by a line.
struct IntervalChart: Chart {
  struct Row: Sendable {
    var name: String
    /// The value shown in this row of the chart, such as a number of records. The values 0 and infinity are drawn as
    /// arrows.
    var value: Double
    var interval: MedianInterval?
    var text: String
    /// The colour and shape of the row's backend. Nil for a plain point.
    var mark: SeriesMark?
    var hover: String
    /// The value in an earlier run, drawn as a hollow dot. Nil if only one run is shown.
    var before: Double?
    var cell: String?
  }

  var id: String
  var title: String
  var summary: String
  var note: String
  var rows: [Row]
  /// The function that formats a number as a label of the axis, such as `10 µs`.
  var unit: @Sendable (Double) -> String
  var reference: Double?
  /// The range of values with a grey background, such as ratios that count as equal. Nil for none.
  var band: ClosedRange<Double>?
  /// A range that the axis must include, such as the measured numbers of records. Nil for none.
  var range: ClosedRange<Double>?
  var hasBars = false

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let layout = RowLayout(
      names: rows.map(\.name), values: rows.map(\.text), below: canvas, widest: hasBars ? 170 : 110)
    let numbers = rows.flatMap { [$0.value, $0.before, $0.interval?.low, $0.interval?.high].compactMap { $0 } }
    let ends = [reference, band?.lowerBound, band?.upperBound, range?.lowerBound, range?.upperBound]
    let margin = hasBars ? 0.0 : 8
    guard
      let scale = LogScale(numbers + ends.compactMap { $0 }, pixels: (layout.left + margin, layout.right - margin))
    else { return }
    if let band {
      for stretch in layout.stretches {
        canvas.rect(
          x: scale(band.lowerBound), y: stretch.from, width: scale(band.upperBound) - scale(band.lowerBound),
          height: stretch.to - stretch.from, "zone")
      }
    }
    for tick in scale.ticks(across: unit) {
      let isCut = hasBars && scale(tick) - Canvas.width(of: unit(tick), size: 11) / 2 < 0
      layout.tick(scale(tick), unit(tick), anchor: isCut ? .start : .middle, on: &canvas)
    }
    if let reference { layout.vertical(scale(reference), "axis", on: &canvas) }
    for (index, row) in rows.enumerated() {
      let y = layout.row(index, row.text, on: &canvas)
      draw(row, at: y, on: &canvas, scale, layout)
    }
    canvas.height = layout.bottom + 22
  }

  private func draw(_ row: Row, at y: Double, on canvas: inout Canvas, _ scale: LogScale, _ layout: RowLayout) {
    let css = row.mark?.css ?? "s5"
    if let before = row.before, let mark = row.mark { return pair(before, row, mark, at: y, on: &canvas, scale) }
    if hasBars {
      canvas.rect(
        x: layout.left, y: y - 5, width: max(2, scale(row.value) - layout.left), height: 10, "bar \(css)",
        hover: row.hover, cell: row.cell)
    }
    if let interval = row.interval {
      let (line, half) = hasBars ? ("axis", 3.0) : ("line \(css)", 4)
      canvas.line(scale(interval.low), y, scale(interval.high), y, line)
      for end in [interval.low, interval.high] where end > 0 && end.isFinite {
        canvas.line(scale(end), y - half, scale(end), y + half, line)
      }
    }
    if row.value > 0, row.value.isFinite {
      let x = scale(row.value)
      let point =
        row.mark?.shape(x: x, y: y)
        ?? Element("circle", ["class": "s5", "cx": Canvas.text(x), "cy": Canvas.text(y), "r": "4"])
      canvas.add(point.with("data-cell", row.cell).with(hover: row.hover))
    } else {
      arrow(row, at: y, on: &canvas, layout, css)
    }
  }

  private func pair(
    _ before: Double, _ row: Row, _ mark: SeriesMark, at y: Double, on canvas: inout Canvas, _ scale: LogScale
  ) {
    let (from, to) = (scale(before), scale(row.value))
    // The joining line ends at the edge of the hollow dot, whose inside stays empty.
    if abs(to - from) > 5 { canvas.line(from + (to > from ? 5 : -5), y, to, y, "line \(mark.css)") }
    // The hollow dot is larger, so that it remains visible below the other dot.
    canvas.add(mark.dot(x: from, y: y, size: 5, isHollow: true, hover: row.hover))
    canvas.add(mark.dot(x: to, y: y, size: 2.6, isHollow: false, hover: row.hover))
  }

  private func arrow(_ row: Row, at y: Double, on canvas: inout Canvas, _ layout: RowLayout, _ css: String) {
    let isBeyond = row.value > 0
    let tip = isBeyond ? layout.right - 2 : layout.left + 2
    let back = isBeyond ? -1.0 : 1.0
    if isBeyond { canvas.line(layout.left + 8, y, tip, y, "line \(css)") }
    let path = "M\(Canvas.text(tip)) \(Canvas.text(y))l\(Canvas.text(8 * back)) -4v8z"
    canvas.path(path, css, hover: row.hover)
  }
}
