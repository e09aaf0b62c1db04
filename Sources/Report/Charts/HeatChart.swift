import Foundation

/// The matrix as a picture: a field per workload and backend, darker the further it is from the line's best, with the
/// factor and a glyph in it, so that it can be read without colour.
struct HeatChart: Chart {
  /// One field.
  struct Field: Sendable {
    /// The first line: a time, or `FAILED`.
    var text: String
    /// The second: a factor with its mark.
    var detail: String
    /// The factor to the line's best; nil where there is none, which is not shaded.
    var ratio: Double?
    /// Whether it is the best, or was not shown to be slower.
    var isBest: Bool
    /// What is shown while a pointer rests on it.
    var hover: String
  }

  var id: String
  var title: String
  var summary: String
  /// What the shades and marks mean.
  var note: String
  /// The backends.
  var columns: [String]
  /// The workloads with their fields, as many as there are columns.
  var rows: [(name: String, fields: [Field])]

  private static let fieldHeight = 32.0

  func draw(on canvas: inout Canvas) {
    let names = rows.map { Canvas.width(of: $0.name, size: 11) }.max() ?? 0
    let left = min(names, 130) + 10
    let widest =
      rows.flatMap(\.fields).map { field in
        max(Canvas.width(of: field.text, size: 11), Canvas.width(of: field.detail, size: 11))
      }.max() ?? 0
    let field = max(widest + 6, (canvas.width - left) / Double(max(1, columns.count)))
    canvas.width = left + field * Double(columns.count)
    canvas.note(note)
    let slanted = columns.contains { Canvas.width(of: $0, size: 11) > field - 4 }
    let longest = columns.map { Canvas.width(of: $0, size: 11) }.max() ?? 0
    let top = canvas.height + (slanted ? min(longest, 240) * 0.71 + 10 : 16)
    for (index, column) in columns.enumerated() {
      let x = left + field * (Double(index) + 0.5)
      guard slanted else {
        canvas.text(column, x: x, y: top - 5, "small", anchor: .middle)
        continue
      }
      let name = Canvas.cut(column, width: 240, size: 11)
      canvas.add(
        Element(
          "text", ["class": "small", "transform": "translate(\(Canvas.text(x)) \(Canvas.text(top - 6))) rotate(-45)"],
          text: name))
      // The last names reach beyond the table.
      canvas.width = max(canvas.width, x + Canvas.width(of: name, size: 11) * 0.71 + 8)
    }
    for (index, row) in rows.enumerated() {
      let y = top + Double(index) * Self.fieldHeight
      let lines = Canvas.wrapped(row.name, width: left - 8, size: 11).prefix(2)
      for (number, line) in lines.enumerated() {
        canvas.text(line, x: 4, y: y + (lines.count == 1 ? 20 : 13) + 13 * Double(number), "small")
      }
      for (place, item) in row.fields.enumerated() {
        draw(item, x: left + field * Double(place), y: y, width: field, on: &canvas)
      }
    }
    canvas.height = top + Double(rows.count) * Self.fieldHeight + 8
  }

  private func draw(_ field: Field, x: Double, y: Double, width: Double, on canvas: inout Canvas) {
    let text = Canvas.text
    var box = Element(
      "rect",
      [
        "class": "heat", "x": text(x), "y": text(y), "width": text(width), "height": text(Self.fieldHeight),
      ])
    box = box.with("fill-opacity", field.ratio.map(Self.shade) ?? "0")
    box.append(Element("title", text: field.hover))
    canvas.add(box)
    let middle = x + width / 2
    canvas.text(
      field.text, x: middle, y: y + (field.detail.isEmpty ? 20 : 14), field.isBest ? "small strong" : "small",
      anchor: .middle)
    if !field.detail.isEmpty {
      // Muted words cannot be read on a shade.
      let css = field.isBest ? "small strong" : field.ratio == nil ? "note" : "small"
      canvas.text(field.detail, x: middle, y: y + 27, css, anchor: .middle)
    }
  }

  /// How dark a field is: not at all for the best, darkest from a thousand times on. Text stays readable on it.
  static func shade(_ ratio: Double) -> String {
    let share = min(max(log10(max(ratio, 1)) / 3, 0), 1)
    return String(format: "%.2f", share * 0.45)
  }
}
