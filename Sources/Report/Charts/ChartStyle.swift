import CStoragePage
import Foundation
import StorageContract
import StorageRunFiles

/// The stylesheet of all charts, for light and dark mode.
enum ChartStyle {
  static let rules = String(cString: csp_chart_style())

  /// The chart colours for a light background, as CSS variables. Backends use `--s0` to `--s8`, with a contrast of 3:1.
  static let light = """
    --paper: #ffffff; --ink: #1c2024; --muted: #5a636d; --grid: #dfe3e8; --heat: #b24c00;
    --s0: #0072b2; --s1: #c14a00; --s2: #00795c; --s3: #a03c8a; --s4: #8a6d00; --s5: #3f4850; --s6: #7a3e1d;
    --s7: #5b4fc4; --s8: #007d86;
    """

  static let dark = """
    --paper: #14171a; --ink: #e8eaed; --muted: #a3abb5; --grid: #353b42; --heat: #eb8228;
    --s0: #5cb8f0; --s1: #ff9152; --s2: #38cfa2; --s3: #e78fd2; --s4: #e3c04a; --s5: #c5cbd2; --s6: #d39a76;
    --s7: #a9a1ff; --s8: #46d0da;
    """

  /// Replaces the CSS variables in style rules with the colours for a light background.
  static func light(_ rules: String) -> String {
    light.split(separator: ";").reduce(rules) { rules, line in
      let pair = line.split(separator: ":").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      return pair.count == 2 ? rules.replacingOccurrences(of: "var(\(pair[0]))", with: pair[1]) : rules
    }
  }

  static let file = """
    svg { \(light) }
    @media (prefers-color-scheme: dark) { svg { \(dark) } }
    \(rules)
    """
}

/// The colour, shape and dashes that mark a backend in every chart.
struct SeriesMark: Sendable, Equatable {
  /// The number of backends with different colours in a chart. Further backends repeat a colour with another shape and
  /// other dashes.
  static let colours = 9

  /// The number that selects a backend's colour and shape: `Appearance.mark` or, in old runs, the backend's position.
  let index: Int
  /// An index that gives different dashes to backends with the same name but different options.
  var variant = 0

  static func marks(of backends: [Spec], _ appearance: (Spec) -> Appearance?) -> [Spec: SeriesMark] {
    var variants: [String: Int] = [:]
    var marks: [Spec: SeriesMark] = [:]
    for (position, backend) in backends.enumerated() where marks[backend] == nil {
      let look = appearance(backend)
      marks[backend] = SeriesMark(
        index: look?.mark ?? position, variant: look == nil ? 0 : variants[backend.id, default: 0])
      variants[backend.id, default: 0] += 1
    }
    return marks
  }

  var css: String { "s\(index % Self.colours)" }

  var dashes: String? {
    let patterns: [String?] = [nil, "7 3", "2 2", "9 3 2 3", "4 2", "12 3", "1 3", "6 2 1 2 1 2", "10 2 4 2"]
    return patterns[(index + index / Self.colours + variant * 2) % patterns.count]
  }

  func shape(x: Double, y: Double, size: Double = 4, hover: String? = nil) -> Element {
    let text = Canvas.text
    let square = [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]
    let plus = [
      (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4), (0.4, 1.2), (-0.4, 1.2),
      (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4),
    ]
    func polygon(_ corners: [(Double, Double)], _ css: String) -> Element {
      let points = corners.map { "\(text(x + $0.0 * size)),\(text(y + $0.1 * size))" }
      return Element("polygon", ["class": css, "points": points.joined(separator: " ")])
    }
    let shape =
      switch (index + index / Self.colours * 4) % Self.colours {
      case 0: Element("circle", ["class": css, "cx": text(x), "cy": text(y), "r": text(size)])
      case 1: polygon(square, css)
      case 2: polygon([(0, -1.2), (1.1, 0.9), (-1.1, 0.9)], css)
      case 3: polygon([(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)], css)
      case 4: polygon([(0, 1.2), (1.1, -0.9), (-1.1, -0.9)], css)
      case 5:
        Element(
          "path",
          [
            "class": "line \(css)",
            "d": "M\(text(x - size)) \(text(y - size))L\(text(x + size)) \(text(y + size))"
              + "M\(text(x - size)) \(text(y + size))L\(text(x + size)) \(text(y - size))",
          ])
      case 6: dot(x: x, y: y, size: size, isHollow: true)
      case 7: polygon(plus, css)
      default: polygon(square, "hollow \(css)").with("stroke-width", "2")
      }
    return shape.with(hover: hover)
  }

  func dot(x: Double, y: Double, size: Double, isHollow: Bool, hover: String? = nil) -> Element {
    let text = Canvas.text
    return Element(
      "circle",
      ["class": isHollow ? "hollow \(css)" : css, "cx": text(x), "cy": text(y), "r": text(size), "stroke-width": "2"]
    ).with(hover: hover)
  }
}
