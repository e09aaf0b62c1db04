import Foundation

/// A heat map with a row for each workload and a column for each backend. Slower backends have a stronger colour.
struct HeatChart: Chart {
  struct Field: Sendable {
    var text: String
    /// The second line of text in this field of the heat map: `3.1×` if the backend takes 3.1 times as long as the
    /// fastest backend.
    var detail: String
    /// The backend's time divided by the fastest backend's time. A larger ratio gives the field a stronger colour. Nil
    /// gives no colour.
    var ratio: Double?
    /// Whether the backend is one of the fastest for the workload, within the accuracy of the measurement.
    var isBest: Bool
    var hover: String
  }

  var id: String
  var title: String
  var summary: String
  var note: String
  var columns: [String]
  var rows: [(name: String, fields: [Field])]

  private static let size = 11.0
  private static let lineHeight = 13.0
  private static let leastHeight = 32.0
  private static let widestName = 130.0

  func draw(on canvas: inout Canvas) {
    let left = 10 + (rows.map { Self.nameWidth($0.name) }.max() ?? 0)
    let widths = fieldWidths(canvas.width - left)
    canvas.width = left + widths.reduce(0, +)
    canvas.note(note)
    let headers = zip(columns, widths).map { Canvas.wrapped($0, width: $1 - 4, size: Self.size) }
    var y = canvas.height + Self.lineHeight * Double(headers.map(\.count).max() ?? 0) + 6
    var x = left
    for (lines, width) in zip(headers, widths) {
      for (index, line) in lines.reversed().enumerated() {
        canvas.text(line, x: x + width / 2, y: y - 5 - Self.lineHeight * Double(index), "small", anchor: .middle)
      }
      x += width
    }
    for row in rows {
      let lines = Canvas.wrapped(row.name, width: left - 8, size: Self.size)
      let height = max(Self.leastHeight, Self.lineHeight * Double(lines.count) + 6)
      let first = y + (height - Self.lineHeight * Double(lines.count - 1)) / 2 + 4
      for (number, line) in lines.enumerated() {
        canvas.text(line, x: 4, y: first + Self.lineHeight * Double(number), "small")
      }
      x = left
      for (item, width) in zip(row.fields, widths) {
        draw(item, x: x, y: y, width: width, height: height, on: &canvas)
        x += width
      }
      y += height
    }
    canvas.height = y + 8
  }

  private static func nameWidth(_ name: String) -> Double {
    max(min(Canvas.width(of: name, size: size), widestName), Canvas.leastWidth(of: name, size: size))
  }

  private func fieldWidths(_ room: Double) -> [Double] {
    let least = columns.indices.map { index in
      let fields = rows.map { $0.fields[index] }.flatMap { [$0.text, $0.detail] }
      let widths = fields.map { Canvas.width(of: $0, size: Self.size) }
      return 10 + widths.reduce(Canvas.leastWidth(of: columns[index], size: Self.size), max)
    }
    let spare = (room - least.reduce(0, +)) / Double(max(1, least.count))
    return least.map { $0 + max(0, spare) }
  }

  private func draw(_ field: Field, x: Double, y: Double, width: Double, height: Double, on canvas: inout Canvas) {
    canvas.rect(
      x: x, y: y, width: width, height: height, "heat", opacity: field.ratio.map(Self.shade) ?? "0", hover: field.hover)
    let (middle, centre) = (x + width / 2, y + height / 2)
    canvas.text(
      field.text, x: middle, y: centre + (field.detail.isEmpty ? 4 : -2), field.isBest ? "small strong" : "small",
      anchor: .middle)
    if !field.detail.isEmpty {
      // Grey text would be unreadable on a coloured field.
      let css = field.isBest ? "small strong" : field.ratio == nil ? "note" : "small"
      canvas.text(field.detail, x: middle, y: centre + 11, css, anchor: .middle)
    }
  }

  /// Returns a field's opacity as text: `0.00` for the fastest backend, up to `0.45` for one 1,000 times as slow.
  static func shade(_ ratio: Double) -> String { String(format: "%.2f", share(ratio) * 0.45) }

  /// Returns the colour strength for a ratio to the best value, on a logarithmic scale: 0 for 1, 1 for 1,000 and more.
  static func share(_ ratio: Double) -> Double { min(max(log10(max(ratio, 1)) / 3, 0), 1) }
}
