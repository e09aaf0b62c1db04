/// Where the lines of a picture with one line per thing stand: their names at the left where they are short, else
/// above, so that no name is cut.
struct RowLayout {
  /// Whether names stand above their lines.
  let isStacked: Bool
  /// Where the drawing begins.
  let left: Double
  /// Where it ends.
  let right: Double
  /// The height of a line.
  let height: Double

  private static let widest = 104.0

  /// Chooses a layout.
  ///
  /// - Parameters:
  ///   - names: The lines' names.
  ///   - values: The texts at the right.
  init(names: [String], values: [String], width: Double) {
    let name = names.map { Canvas.width(of: $0) }.max() ?? 0
    let value = values.map { Canvas.width(of: $0, size: 11) }.max() ?? 0
    isStacked = name > Self.widest
    left = isStacked ? 8 : 12 + name
    right = width - value - 14
    height = isStacked ? 36 : 22
  }

  /// Draws a line's name and value, and tells the height at which the rest of it lies.
  func row(
    _ index: Int, _ name: String, _ value: String, on canvas: inout Canvas, top: Double, css: String = ""
  ) -> Double {
    let y = top + Double(index) * height
    let middle = y + (isStacked ? 26 : 11)
    if isStacked {
      canvas.text(name, x: 4, y: y + 13, css)
    } else {
      canvas.text(name, x: left - 8, y: middle + 4, css, anchor: .end)
    }
    canvas.text(value, x: right + 8, y: middle + 4, "small")
    return middle
  }
}
