/// How operations of each backend spread: a dot for the median of each process, marks for the tail, on a logarithmic
/// axis. What differs from run to run and what is slow now and then are seen apart.
struct StripChart: Chart {
  /// One backend.
  struct Row: Sendable {
    var name: String
    var mark: SeriesMark
    /// The median of each process.
    var processes: [Double]
    /// Percentiles and the slowest, ascending: `("p90", 812000)`.
    var tail: [(name: String, value: Double)]
    /// The median in words, at the right.
    var text: String
  }

  var id: String
  var title: String
  var summary: String
  /// What the axis and the marks show.
  var note: String
  var rows: [Row]
  /// Writes a tick.
  var unit: @Sendable (Double) -> String

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let layout = RowLayout(names: rows.map(\.name), values: rows.map(\.text), width: canvas.width)
    let top = canvas.height + 4
    let bottom = top + layout.height
    let numbers = rows.flatMap { $0.processes + $0.tail.map(\.value) }
    guard let scale = LogScale(numbers, pixels: (layout.left + 6, layout.right - 6)) else { return }
    for tick in scale.ticks(across: unit) {
      layout.vertical(scale(tick), "grid", on: &canvas, top: top)
      canvas.text(unit(tick), x: scale(tick), y: bottom + 14, "tick", anchor: .middle)
    }
    for (index, row) in rows.enumerated() {
      let y = layout.row(index, row.text, on: &canvas, top: top)
      draw(row, at: y, on: &canvas, scale)
    }
    canvas.height = bottom + 22
  }

  private func draw(_ row: Row, at y: Double, on canvas: inout Canvas, _ scale: LogScale) {
    let text = Canvas.text
    if let first = row.processes.min(), let last = (row.tail.map(\.value) + row.processes).max() {
      canvas.line(scale(first), y, scale(last), y, "leader")
    }
    for (place, mark) in row.tail.enumerated() {
      // Taller is rarer; the slowest of all is a cross bar.
      let half = 3.0 + 1.5 * Double(place)
      let isLast = mark.name == "max"
      let path =
        isLast
        ? "M\(text(scale(mark.value))) \(text(y - 7))v14m-3 -14h6m-6 14h6"
        : "M\(text(scale(mark.value))) \(text(y - half))v\(text(2 * half))"
      canvas.add(
        Element(
          "path", ["class": "line \(row.mark.css)", "d": path],
          [Element("title", text: "\(row.name), \(mark.name): \(NumberFormat.time(mark.value))")]))
    }
    for process in row.processes {
      canvas.add(
        Element(
          "circle",
          ["class": row.mark.css, "cx": text(scale(process)), "cy": text(y), "r": "3", "fill-opacity": "0.45"],
          [Element("title", text: "\(row.name), median of one process: \(NumberFormat.time(process))")]))
    }
  }
}
