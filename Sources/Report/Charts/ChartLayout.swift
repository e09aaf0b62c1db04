import Foundation

/// A logarithmic scale of positive numbers: 1 and 10 are as many pixels apart as 10 and 100.
struct LogScale {
  let domain: ClosedRange<Double>
  /// The pixel positions of the smallest and the largest number of the scale.
  let pixels: (Double, Double)

  /// Creates a scale of the positive `numbers`. `margin` is the free space at each end, as a share of the range. Nil if
  /// none are positive.
  init?(_ numbers: [Double], pixels: (Double, Double), margin: Double = 0.04) {
    let usable = numbers.filter { $0 > 0 && $0.isFinite }
    guard var low = usable.min(), var high = usable.max() else { return nil }
    // A narrow range is widened, so that a single number is in the middle of the scale.
    if high / low < 1.5 {
      low /= 2
      high *= 2
    }
    let free = pow(high / low, margin)
    domain = low / free...high * free
    self.pixels = pixels
  }

  func callAsFunction(_ number: Double) -> Double {
    let clamped = min(max(number, domain.lowerBound), domain.upperBound)
    let share = log(clamped / domain.lowerBound) / log(domain.upperBound / domain.lowerBound)
    return pixels.0 + share * (pixels.1 - pixels.0)
  }

  /// Returns the numbers to label on an axis, mostly powers of ten. Their labels do not overlap.
  ///
  /// - Parameter room: A function that returns the length of a label along the axis, in pixels.
  func ticks(_ room: (Double) -> Double) -> [Double] {
    let exponents = Int(floor(log10(domain.lowerBound)))...Int(ceil(log10(domain.upperBound)))
    func all(_ factors: [Double]) -> [Double] {
      exponents.flatMap { exponent in factors.map { $0 * pow(10, Double(exponent)) } }.filter(domain.contains)
    }
    func fits(_ ticks: [Double]) -> Bool {
      zip(ticks, ticks.dropFirst()).allSatisfy { left, right in
        abs(self(right) - self(left)) >= (room(left) + room(right)) / 2 + 8
      }
    }
    let powers = all([1])
    let fine = powers.count < 3 ? [all([1, 2, 5]), all([1, 3])] : []
    let coarse = (1...max(1, powers.count)).map { step in
      powers.enumerated().filter { $0.offset % step == 0 }.map(\.element)
    }
    return (fine + coarse).first(where: fits) ?? []
  }

  func ticks(across text: (Double) -> String) -> [Double] { ticks { Canvas.width(of: text($0), size: 11) } }
}

/// A mapping of numbers to pixel positions on a linear scale that starts at 0.
struct LinearScale {
  let most: Double
  let pixels: (Double, Double)

  func callAsFunction(_ number: Double) -> Double {
    pixels.0 + (most > 0 ? min(max(number / most, 0), 1) : 0) * (pixels.1 - pixels.0)
  }

  var ticks: [Double] {
    guard most > 0 else { return [0] }
    let power = pow(10, floor(log10(most)))
    let step = [0.2, 0.5, 1, 2].map { $0 * power }.first { most / $0 <= 5 } ?? power * 2
    return stride(from: 0, through: most, by: step).map { $0 }
  }
}

/// The layout of a chart with one named row for each item, such as a backend.
struct RowLayout {
  let left: Double
  let right: Double
  let top: Double
  let bottom: Double

  private let isStacked: Bool
  private let names: [[String]]
  private let offsets: [Double]
  private let lineHeight: Double

  private static let nameHeight = 14.0

  /// Lays out rows with names at the left and values at the right. If a name is wider than `widest` pixels, each name
  /// is above its row.
  init(names: [String], values: [String], below canvas: Canvas, lineHeight: Double = 22, widest: Double = 110) {
    let width = canvas.width
    self.lineHeight = lineHeight
    let name = names.map { Canvas.width(of: $0) }.max() ?? 0
    let value = values.map { Canvas.width(of: $0, size: 11) }.max() ?? 0
    isStacked = name > widest
    left = isStacked ? 8 : 12 + name
    right = width - value - 14
    self.names = isStacked ? names.map { Canvas.wrapped($0, width: width - 8, size: 11) } : names.map { [$0] }
    var offset = 0.0
    var offsets: [Double] = []
    for lines in self.names {
      offsets.append(offset)
      offset += isStacked ? Double(lines.count) * Self.nameHeight + lineHeight : lineHeight
    }
    self.offsets = offsets
    top = canvas.height + 4
    bottom = top + offset + 4
  }

  var stretches: [(from: Double, to: Double)] {
    guard isStacked else { return [(top, bottom)] }
    return zip(names, offsets).map { lines, offset in
      let from = top + offset + Double(lines.count) * Self.nameHeight
      return (from, from + lineHeight - 4)
    }
  }

  func vertical(_ x: Double, _ css: String, on canvas: inout Canvas) {
    for stretch in stretches { canvas.line(x, stretch.from, x, stretch.to, css) }
  }

  func tick(_ x: Double, _ label: String, anchor: Canvas.Anchor = .middle, on canvas: inout Canvas) {
    vertical(x, "grid", on: &canvas)
    canvas.text(label, x: x, y: bottom + 14, "tick", anchor: anchor)
  }

  func row(_ index: Int, _ value: String, on canvas: inout Canvas) -> Double {
    var y = top + offsets[index]
    if isStacked {
      for line in names[index] {
        y += Self.nameHeight
        canvas.text(line, x: 4, y: y - 2, "small")
      }
    }
    y += lineHeight / 2 - (isStacked ? 2 : 0)
    if !isStacked { canvas.text(names[index][0], x: left - 8, y: y + 4, anchor: .end) }
    canvas.text(value, x: right + 8, y: y + 4, "small")
    return y
  }
}
