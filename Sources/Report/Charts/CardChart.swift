/// The preview image of a link to a report: the recommendation, a chart and the machine.
struct CardChart: Chart {
  let id = "card"
  var title: String
  var headline: String
  var picture: GrowthChart?
  /// The machine of the benchmark, as one line of text: `4 cores, ...`. Empty if unknown.
  var machine: String

  var summary: String {
    [headline, picture.map { "\($0.title). \($0.summary)" }, machine.isEmpty ? nil : "Machine: \(machine)."]
      .compactMap { $0 }.joined(separator: " ")
  }

  let isPreview = true

  /// The size of the preview image in pixels, as usual for link previews.
  static let size = (width: 1200.0, height: 630.0)
  private static let margin = 40.0
  private static let scale = 2.0

  func draw(on canvas: inout Canvas) {
    canvas.width = Self.size.width
    let room = Self.size.width - 2 * Self.margin
    write(Canvas.cut(title, width: room, size: 28), y: 56, size: 28, "note", on: &canvas)
    let (size, lines) = sentence(room)
    var y = 56.0
    for line in lines {
      y += size * 1.2
      write(line, y: y, size: size, "strong", on: &canvas)
    }
    if !machine.isEmpty {
      write(Canvas.cut(machine, width: room, size: 26), y: Self.size.height - 28, size: 26, "note", on: &canvas)
    }
    if var picture {
      let (top, bottom) = (y + 24, Self.size.height - 64)
      picture.note = picture.title
      func drawn(_ picture: GrowthChart) -> Canvas {
        var inner = Canvas()
        inner.width = room / Self.scale
        picture.draw(on: &inner)
        return inner
      }
      picture.plotHeight -= drawn(picture).height - (bottom - top) / Self.scale
      let inner = drawn(picture)
      let place = "translate(\(Canvas.text(Self.margin)) \(Canvas.text(top))) scale(\(Canvas.text(Self.scale)))"
      canvas.add(Element("g", ["transform": place], inner.elements))
    }
    canvas.height = Self.size.height
  }

  private func sentence(_ room: Double) -> (size: Double, lines: [String]) {
    let sizes = picture == nil ? [60.0, 48, 40, 34, 28] : [48, 40, 34, 28]
    let most = picture == nil ? 480.0 : 200
    let all = sizes.map { size in
      // Bold text is about a tenth wider than `wrapped` estimates.
      (size: size, lines: Canvas.wrapped(headline, width: room, size: size * 1.1))
    }
    return all.first { Double($0.lines.count) * $0.size * 1.2 <= most } ?? all[all.count - 1]
  }

  private func write(_ words: String, y: Double, size: Double, _ css: String, on canvas: inout Canvas) {
    let style = "font-size: \(Canvas.text(size))px"
    canvas.add(
      Element("text", ["class": css, "style": style, "x": Canvas.text(Self.margin), "y": Canvas.text(y)], text: words))
  }
}
