import StorageStatistics

/// Bars on a logarithmic axis, the shortest first: one question, one bar for each backend and setting.
struct StripChart: Chart {
  /// One bar.
  struct Bar: Sendable {
    /// The cell, whose details a page opens.
    var cell: String
    var name: String
    /// The mark of the backend.
    var mark: SeriesMark
    var value: Double
    /// The interval. Nil if there is none.
    var interval: MedianInterval?
    /// The text at the right: `57 us`.
    var text: String
    /// The text shown while a pointer rests on it.
    var hover: String
  }

  var id: String
  var title: String
  var summary: String
  /// The explanation of the axis.
  var note: String
  var bars: [Bar]
  /// Writes a tick.
  var unit: @Sendable (Double) -> String
  /// A value up to which the picture is shaded. Nil for none.
  var limit: Double?

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let layout = RowLayout(names: bars.map(\.name), values: bars.map(\.text), width: canvas.width, widest: 170)
    let top = canvas.height + 4
    let bottom = top + layout.height
    let numbers = bars.flatMap { [$0.value, $0.interval?.low, $0.interval?.high].compactMap { $0 } }
    guard
      let scale = LogScale(numbers + [limit].compactMap { $0 }, pixels: (layout.left, layout.right))
    else { return }
    if let limit {
      for stretch in layout.stretches(top: top) {
        canvas.rect(
          x: layout.left, y: stretch.from, width: scale(limit) - layout.left,
          height: stretch.to - stretch.from, "zone")
      }
    }
    for tick in scale.ticks(across: unit) {
      layout.vertical(scale(tick), "grid", on: &canvas, top: top)
      let isAtEdge = scale(tick) - Canvas.width(of: unit(tick), size: 11) / 2 < 0
      canvas.text(unit(tick), x: scale(tick), y: bottom + 14, "tick", anchor: isAtEdge ? .start : .middle)
    }
    for (index, bar) in bars.enumerated() {
      let y = layout.row(index, bar.text, on: &canvas, top: top)
      canvas.rect(
        x: layout.left, y: y - 5, width: max(2, scale(bar.value) - layout.left), height: 10, "bar \(bar.mark.css)",
        hover: bar.hover, cell: bar.cell)
      if let interval = bar.interval {
        canvas.line(scale(interval.low), y, scale(interval.high), y, "axis")
        for end in [interval.low, interval.high] { canvas.line(scale(end), y - 3, scale(end), y + 3, "axis") }
      }
      canvas.add(bar.mark.shape(x: scale(bar.value), y: y, size: 4, hover: bar.hover).with("data-cell", bar.cell))
    }
    canvas.height = bottom + 22
  }
}
