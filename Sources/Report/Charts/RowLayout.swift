/// Where the lines of a picture with one line per thing stand: their names at the left where these are short, else
/// above, over as many lines as they need, so that no name is cut.
struct RowLayout {
  /// Where the drawing begins.
  let left: Double
  /// Where it ends.
  let right: Double
  /// The height of all lines together.
  let height: Double

  private let isStacked: Bool
  /// Each name in lines.
  private let names: [[String]]
  /// How far down each line begins.
  private let offsets: [Double]

  private static let widest = 110.0
  private static let lineHeight = 14.0

  /// Lays out lines.
  ///
  /// - Parameters:
  ///   - names: Their names.
  ///   - values: The texts at the right.
  init(names: [String], values: [String], width: Double) {
    let name = names.map { Canvas.width(of: $0) }.max() ?? 0
    let value = values.map { Canvas.width(of: $0, size: 11) }.max() ?? 0
    isStacked = name > Self.widest
    left = isStacked ? 8 : 12 + name
    right = width - value - 14
    self.names = isStacked ? names.map { Canvas.wrapped($0, width: width - 8, size: 11) } : names.map { [$0] }
    var offset = 0.0
    var offsets: [Double] = []
    for lines in self.names {
      offsets.append(offset)
      offset += isStacked ? Double(lines.count) * Self.lineHeight + 22 : 22
    }
    self.offsets = offsets
    height = offset + 4
  }

  /// The stretches from top to bottom in which the grid is drawn: all of it, or where names stand above their lines,
  /// between the names.
  func stretches(top: Double) -> [(from: Double, to: Double)] {
    guard isStacked else { return [(top, top + height)] }
    return zip(names, offsets).map { lines, offset in
      let from = top + offset + Double(lines.count) * Self.lineHeight
      return (from, from + 18)
    }
  }

  /// Draws a vertical line of the grid.
  func vertical(_ x: Double, _ css: String, on canvas: inout Canvas, top: Double) {
    for stretch in stretches(top: top) { canvas.line(x, stretch.from, x, stretch.to, css) }
  }

  /// Draws a line's name and value, and returns the height at which the rest of it lies.
  func row(_ index: Int, _ value: String, on canvas: inout Canvas, top: Double) -> Double {
    var y = top + offsets[index]
    if isStacked {
      for line in names[index] {
        y += Self.lineHeight
        canvas.text(line, x: 4, y: y - 2, "small")
      }
    }
    y += isStacked ? 9 : 11
    if !isStacked { canvas.text(names[index][0], x: left - 8, y: y + 4, anchor: .end) }
    canvas.text(value, x: right + 8, y: y + 4, "small")
    return y
  }
}
