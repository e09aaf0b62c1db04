import StorageContract

/// A chart of a report, drawn as SVG. To add a chart, write a conforming type and add an instance to a section.
public protocol Chart: Sendable {
  /// The name of the chart's file without the extension, unique within a report: `save-one-shipped-time`.
  var id: String { get }
  /// The heading of the chart.
  var title: String { get }
  /// A description of the chart's content for screen readers, such as `sqlite 621 µs; lmdb 86 µs.`
  var summary: String { get }
  /// Whether the chart is the preview image for links to a report, drawn without a heading and without dark mode.
  var isPreview: Bool { get }
  /// Draws the chart on a canvas.
  func draw(on canvas: inout Canvas)
}

extension Chart {
  /// Whether the chart is the preview image for links to a report; false by default.
  public var isPreview: Bool { false }

  /// Returns the chart as an SVG file. Colours follow light or dark mode, except in a preview image.
  public func file() -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      + element(style: isPreview ? ChartStyle.light(ChartStyle.rules) : ChartStyle.file).text(.xml)
  }

  func element(style: String? = nil) -> Element {
    var canvas = Canvas()
    if !isPreview { canvas.heading(title) }
    draw(on: &canvas)
    let size = (width: Canvas.text(canvas.width), height: Canvas.text(canvas.height))
    var svg = Element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(size.width) \(size.height)",
        "width": size.width, "height": size.height, "class": "chart", "role": "img",
      ], [Element("title", text: title), Element("desc", text: summary)])
    if let style {
      svg.append(Element("style", nodes: [.verbatim(style)]))
      svg.append(Element("rect", ["class": "paper", "width": size.width, "height": size.height]))
    }
    svg.append(canvas.elements)
    return svg
  }
}

/// The drawing area of a chart. Its height grows as parts are added. Sizes are in pixels.
public struct Canvas {
  /// The width of the chart in pixels. A computer screen has room for two charts of this width side by side.
  var width = 400.0
  var height = 0.0
  private(set) var elements: [Element] = []

  mutating func add(_ element: Element) { elements.append(element) }

  /// The horizontal alignment of a text: the start, the middle or the end of the text is at the given x coordinate.
  enum Anchor: String {
    case start, middle, end
  }

  mutating func text(
    _ words: String, x: Double, y: Double, _ css: String = "", anchor: Anchor = .start, hover: String? = nil
  ) {
    add(
      Element("text", ["x": Self.text(x), "y": Self.text(y)], text: words)
        .with("class", css.isEmpty ? nil : css)
        .with("text-anchor", anchor == .start ? nil : anchor.rawValue)
        .with(hover: hover))
  }

  mutating func heading(_ title: String) { lines(title, size: 14 * 1.1, height: 18, "heading") }

  mutating func note(_ words: String) { lines(words, size: 11, height: 14, "note") }

  private mutating func lines(_ words: String, size: Double, height lineHeight: Double, _ css: String) {
    for line in Self.wrapped(words, width: width - 8, size: size) {
      height += lineHeight
      text(line, x: 4, y: height, css)
    }
    height += 4
  }

  mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ css: String) {
    let text = Self.text
    add(Element("line", ["class": css, "x1": text(x1), "y1": text(y1), "x2": text(x2), "y2": text(y2)]))
  }

  mutating func path(_ path: String, _ css: String, hover: String? = nil) {
    add(Element("path", ["class": css, "d": path]).with(hover: hover))
  }

  /// Draws a rectangle with CSS class and tooltip. On an HTML page, a click opens the details of the benchmark `cell`.
  mutating func rect(
    x: Double, y: Double, width: Double, height: Double, _ css: String, opacity: String? = nil, hover: String? = nil,
    cell: String? = nil
  ) {
    let size = (width: Self.text(max(0, width)), height: Self.text(max(0, height)))
    add(
      Element(
        "rect", ["class": css, "x": Self.text(x), "y": Self.text(y), "width": size.width, "height": size.height]
      ).with("fill-opacity", opacity).with("data-cell", cell).with(hover: hover))
  }

  static func text(_ value: Double) -> String {
    let tenths = Quantity.whole(value * 10)
    let (whole, rest) = (abs(tenths) / 10, abs(tenths) % 10)
    return (tenths < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
  }

  /// Estimates the width of a text in pixels in the font DejaVu Sans. Other fonts are rarely wider.
  static func width(of words: String, size: Double = 12) -> Double {
    words.unicodeScalars.reduce(0) { sum, scalar in
      switch scalar {
      case "i", "l", "j", "t", "f", "r", ".", ",", ":", "'", "|", " ", "(", ")", "-", "/": sum + size * 0.4
      case "m", "w", "M", "W": sum + size * 0.95
      case "A"..."Z", "+", "~", "=": sum + size * 0.76
      case "\u{2E80}"...: sum + size
      default: sum + size * 0.635
      }
    }
  }

  /// Breaks a text into lines of at most `width` pixels, if possible at spaces.
  static func wrapped(_ words: String, width: Double, size: Double) -> [String] {
    var lines: [String] = []
    var line = ""
    func fits(_ text: String) -> Bool { Self.width(of: text, size: size) <= width }
    func breakLine() {
      if !line.isEmpty { lines.append(line) }
      line = ""
    }
    func add(_ text: String) {
      if !fits(line + text) { breakLine() }
      if text.count == 1 || fits(text) { line += text } else { text.map(String.init).forEach(add) }
    }
    for word in words.split(separator: " ").map(String.init) {
      let longer = line.isEmpty ? word : line + " " + word
      if fits(longer) {
        line = longer
      } else {
        breakLine()
        pieces(word).forEach(add)
      }
    }
    breakLine()
    return lines
  }

  private static func pieces(_ word: String) -> [String] {
    var pieces = [""]
    for character in word {
      if let last = pieces[pieces.count - 1].last, "-:,".contains(last), character.isLetter { pieces.append("") }
      pieces[pieces.count - 1].append(character)
    }
    return pieces
  }

  static func leastWidth(of words: String, size: Double) -> Double {
    words.split(separator: " ").flatMap { pieces(String($0)) }.map { width(of: $0, size: size) }.max() ?? 0
  }

  static func cut(_ words: String, width: Double, size: Double) -> String {
    guard Self.width(of: words, size: size) > width else { return words }
    var kept = words
    while !kept.isEmpty, Self.width(of: kept + "...", size: size) > width { kept.removeLast() }
    return kept + "..."
  }
}
