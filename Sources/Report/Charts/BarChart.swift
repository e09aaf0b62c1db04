import StorageStatistics

/// Bars from zero on, in one or two parts, with intervals: sizes and times of which the absolute length matters.
struct BarChart: Chart {
  /// A part of a bar.
  struct Part: Sendable {
    var value: Double
    /// What is shown while a pointer rests on it.
    var hover: String
  }

  /// One bar.
  struct Row: Sendable {
    var name: String
    /// How it is marked.
    var mark: SeriesMark
    /// The parts from the left: the first filled, the second an outline.
    var parts: [Part]
    /// The interval of the whole, where it has one.
    var interval: MedianInterval?
    /// The value in words, at the right.
    var text: String
  }

  var id: String
  var title: String
  var summary: String
  /// What the axis and the parts show.
  var note: String
  var rows: [Row]
  /// Writes a tick.
  var unit: @Sendable (Double) -> String

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let layout = RowLayout(names: rows.map(\.name), values: rows.map(\.text), width: canvas.width)
    let top = canvas.height + 4
    let bottom = top + layout.height
    let most = rows.flatMap { [$0.parts.reduce(0) { $0 + $1.value }, $0.interval?.high ?? 0] }.max() ?? 0
    let scale = LinearScale(most: most, pixels: (layout.left, layout.right))
    let ticks = scale.ticks
    // The first three digits of a tick are about as wide as the room between two of five.
    for tick in ticks {
      layout.vertical(scale(tick), "grid", on: &canvas, top: top)
      canvas.text(
        tick == 0 ? "0" : unit(tick), x: scale(tick), y: bottom + 14, "tick", anchor: tick == 0 ? .start : .middle)
    }
    for (index, row) in rows.enumerated() {
      let y = layout.row(index, row.text, on: &canvas, top: top)
      var from = scale(0)
      var sum = 0.0
      for (place, part) in row.parts.enumerated() {
        sum += part.value
        canvas.rect(
          x: from, y: y - 6, width: scale(sum) - from, height: 12,
          place == 0 ? "bar \(row.mark.css)" : "hollow \(row.mark.css)", hover: part.hover)
        from = scale(sum)
      }
      if let interval = row.interval {
        canvas.line(scale(interval.low), y, scale(interval.high), y, "axis")
        for end in [interval.low, interval.high] { canvas.line(scale(end), y - 4, scale(end), y + 4, "axis") }
      }
    }
    canvas.height = bottom + 22
  }
}
