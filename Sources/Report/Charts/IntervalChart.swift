import StorageStatistics

/// A forest plot: one line for each item, a point with its interval on a logarithmic axis.
///
/// It shows ratios around 1 with the band of differences that are treated as equal, or positions such as the number of
/// records at which a limit is passed.
struct IntervalChart: Chart {
  /// One line.
  struct Row: Sendable {
    /// The name of the line.
    var name: String
    /// The value. It is infinite or 0 if it lies beyond the measured range.
    var value: Double
    /// The interval, of which an end may be infinite or 0.
    var interval: MedianInterval?
    /// The value as text, at the right.
    var text: String
    /// The mark of the backend if backends are compared. Otherwise a plain point.
    var mark: SeriesMark?
    /// The tooltip.
    var hover: String
  }

  var id: String
  var title: String
  var summary: String
  /// The explanation of the axis.
  var note: String
  var rows: [Row]
  /// A function that formats a tick.
  var unit: @Sendable (Double) -> String
  /// A value that is marked, such as 1 for a ratio.
  var reference: Double?
  /// The range of differences that are ignored.
  var band: ClosedRange<Double>?
  /// The range of the axis beyond that of the rows, such as the sizes that were measured.
  var range: ClosedRange<Double>?

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let layout = RowLayout(names: rows.map(\.name), values: rows.map(\.text), width: canvas.width)
    let top = canvas.height + 4
    let bottom = top + layout.height
    let numbers = rows.flatMap { [$0.value, $0.interval?.low, $0.interval?.high].compactMap { $0 } }
    let ends = [reference, band?.lowerBound, band?.upperBound, range?.lowerBound, range?.upperBound]
    guard let scale = LogScale(numbers + ends.compactMap { $0 }, pixels: (layout.left + 8, layout.right - 8)) else {
      return
    }
    if let band {
      for stretch in layout.stretches(top: top) {
        canvas.rect(
          x: scale(band.lowerBound), y: stretch.from, width: scale(band.upperBound) - scale(band.lowerBound),
          height: stretch.to - stretch.from, "zone")
      }
    }
    for tick in scale.ticks(across: unit) {
      layout.vertical(scale(tick), "grid", on: &canvas, top: top)
      canvas.text(unit(tick), x: scale(tick), y: bottom + 14, "tick", anchor: .middle)
    }
    if let reference { layout.vertical(scale(reference), "axis", on: &canvas, top: top) }
    for (index, row) in rows.enumerated() {
      let y = layout.row(index, row.text, on: &canvas, top: top)
      draw(row, at: y, on: &canvas, scale, layout)
    }
    canvas.height = bottom + 22
  }

  private func draw(
    _ row: Row, at y: Double, on canvas: inout Canvas, _ scale: LogScale, _ layout: RowLayout
  ) {
    let css = row.mark?.css ?? "s5"
    if let interval = row.interval {
      canvas.line(scale(interval.low), y, scale(interval.high), y, "line \(css)")
      for end in [interval.low, interval.high] where end > 0 && end.isFinite {
        canvas.line(scale(end), y - 4, scale(end), y + 4, "line \(css)")
      }
    }
    if row.value > 0, row.value.isFinite {
      let mark = row.mark ?? SeriesMark(index: 5)
      canvas.add(
        row.mark == nil
          ? Element(
            "circle", ["class": "s5", "cx": Canvas.text(scale(row.value)), "cy": Canvas.text(y), "r": "4"],
            [Element("title", text: row.hover)])
          : mark.shape(x: scale(row.value), y: y, hover: row.hover))
    } else {
      arrow(row, at: y, on: &canvas, layout, css)
    }
  }

  /// Draws an arrow at the end of the axis, for a value beyond the measured range.
  private func arrow(_ row: Row, at y: Double, on canvas: inout Canvas, _ layout: RowLayout, _ css: String) {
    let isBeyond = row.value > 0
    let tip = isBeyond ? layout.right - 2 : layout.left + 2
    let back = isBeyond ? -1.0 : 1.0
    if isBeyond { canvas.line(layout.left + 8, y, tip, y, "line \(css)") }
    let text = Canvas.text
    canvas.add(
      Element(
        "path",
        [
          "class": css,
          "d": "M\(text(tip)) \(text(y))l\(text(8 * back)) -4v8z",
        ], [Element("title", text: row.hover)]))
  }
}
