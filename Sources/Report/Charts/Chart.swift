/// A picture of a report. It is made here, as SVG, and needs neither a script nor a network to be read.
///
/// To add one, write a file with a conforming type and let a panel show it.
public protocol Chart: Sendable {
  /// Its file's name without the extension, unique within a report: `save-one-shipped-time`.
  var id: String { get }
  /// What it shows, as the heading in the picture.
  var title: String { get }
  /// The same in sentences, for people who hear the page: what the lines do, the figures that matter.
  var summary: String { get }
  /// Draws it.
  func draw(on canvas: inout Canvas)
}

extension Chart {
  /// The picture as an element of a page whose stylesheet has ``ChartStyle/rules``.
  func inline() -> Element { element(style: nil) }

  /// The picture as a file of its own, in light and dark like the page.
  public func file() -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + element(style: ChartStyle.file).text(.xml)
  }

  private func element(style: String?) -> Element {
    var canvas = Canvas()
    canvas.heading(title)
    draw(on: &canvas)
    let size = (width: Canvas.text(canvas.width), height: Canvas.text(canvas.height))
    var svg = Element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(size.width) \(size.height)",
        "width": size.width, "height": size.height, "class": "chart", "role": "img",
      ], [Element("title", text: title), Element("desc", text: summary)])
    if let style {
      svg.append(Element("style", nodes: [.style(style)]))
      svg.append(Element("rect", ["class": "paper", "width": size.width, "height": size.height]))
    }
    svg.append(canvas.elements)
    return svg
  }
}
