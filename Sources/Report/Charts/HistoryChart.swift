/// How counts changed from run to run, each relative to its first value, as steps.
struct HistoryChart: Chart {
  /// One count of one cell.
  struct Line: Sendable {
    var name: String
    var mark: SeriesMark
    /// A value for each run; nil where the run did not count it.
    var values: [Double?]
    /// Writes a value.
    var unit: @Sendable (Double) -> String
  }

  var id: String
  var title: String
  var summary: String
  var note: String
  /// The runs' names.
  var runs: [String]
  var lines: [Line]

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let (left, right) = (52.0, canvas.width - 16)
    let top = canvas.height + 6
    let bottom = top + 170
    let relative = lines.map { line -> [Double?] in
      guard let first = line.values.compactMap({ $0 }).first(where: { $0 > 0 }) else {
        return line.values.map { _ in nil }
      }
      return line.values.map { $0.map { $0 / first } }
    }
    guard let y = LogScale(relative.joined().compactMap { $0 } + [1], pixels: (bottom, top), margin: 0.1) else {
      return
    }
    let x = { (run: Int) in left + (right - left) * (Double(run) + 0.5) / Double(runs.count) }
    for tick in y.ticksUpwards {
      canvas.line(left, y(tick), right, y(tick), "grid")
      canvas.text(NumberFormat.ratio(tick), x: left - 6, y: y(tick) + 4, "tick", anchor: .end)
    }
    canvas.line(left, y(1), right, y(1), "axis")
    for run in runs.indices { canvas.text("\(run + 1)", x: x(run), y: bottom + 15, "tick", anchor: .middle) }
    for (line, values) in zip(lines, relative) {
      let known = values.indices.filter { (values[$0] ?? 0) > 0 }
      let path = known.enumerated().map { place, run in
        "\(place == 0 ? "M" : "L")\(Canvas.text(x(run))) \(Canvas.text(y(values[run] ?? 1)))"
      }.joined()
      canvas.add(Element("path", ["class": "line \(line.mark.css)", "d": path]))
      for run in known {
        let value = line.values[run].map(line.unit) ?? ""
        canvas.add(line.mark.shape(x: x(run), y: y(values[run] ?? 1), hover: "\(line.name), \(runs[run]): \(value)"))
      }
    }
    canvas.height = bottom + 24
  }
}
