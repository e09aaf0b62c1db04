import Foundation
import StorageContract

/// `report.html`: one file with everything in it. No script, no network; light and dark; on a phone and on paper.
public struct HTMLFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "html"
  /// `report.html`.
  public let fileNames = ["report.html"]

  /// Creates the format.
  public init() {}

  /// The file's text.
  public func text(_ page: Page) -> String { Self.text(page) }

  /// The file's text.
  public static func text(_ page: Page) -> String {
    return HTMLDocument(title: page.title, panels: page.panels).text
  }
}

/// Panels as a page of HTML.
struct HTMLDocument {
  let title: String
  let panels: [Panel]

  /// The whole file.
  var text: String {
    let head = Element(
      "head", [:],
      [
        Element("meta", ["charset": "utf-8"]),
        Element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
        Element("meta", ["name": "color-scheme", "content": "light dark"]),
        // Nothing is fetched, whatever a text in the page may look like; not even an icon.
        Element(
          "meta",
          [
            "http-equiv": "Content-Security-Policy",
            "content": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
          ]),
        Element("link", ["rel": "icon", "href": "data:,"]),
        Element("title", text: title),
        Element("style", nodes: [.style(HTMLStyle.rules)]),
      ])
    let links = panels.map { panel in
      Element("li", [:], [Element("a", ["href": "#\(panel.id)"], text: panel.title)])
    }
    let body = Element(
      "body", [:],
      [
        Element(
          "header", [:],
          [Element("h1", text: title), Element("nav", ["aria-label": "Panels"], [Element("ul", [:], links)])]),
        Element("main", [:], panels.map(section)),
        Element(
          "footer", [:],
          [
            Element(
              "p",
              text:
                "Every number comes from summary.csv beside this page; point at one for its exact value. Each picture is in charts/ as a file of its own. What is folded stays folded on paper: unfold what you want to print."
            )
          ]),
      ])
    return "<!DOCTYPE html>\n" + Element("html", ["lang": "en"], [head, body]).text(.html)
  }

  private func section(_ panel: Panel) -> Element {
    var section = Element("section", ["id": panel.id], [Element("h2", text: panel.title)])
    section.append(panel.lead.map { Element("p", nodes: Self.nodes($0)) })
    if !panel.lists.isEmpty {
      let lists = panel.lists.filter { !$0.items.isEmpty }.map { title, items in
        let shown = items.count > Self.longList ? Self.longList / 2 : items.count
        var list = Element("div", [:], title.map { [Element("h3", text: $0)] } ?? [])
        list.append(Self.list(items.prefix(shown)))
        if shown < items.count { list.append(Self.fold(items.dropFirst(shown))) }
        return list
      }
      section.append(Element("div", ["class": "lists"], lists))
    }
    if !panel.charts.isEmpty {
      section.append(
        Element("div", ["class": "charts"], panel.charts.map { Element("figure", [:], [$0.inline()]) }))
    }
    section.append(panel.tables.map(Self.table))
    if !panel.guide.isEmpty {
      section.append(
        Element(
          "details", ["class": "guide"],
          [
            Element("summary", text: "How to read this"), Self.list(panel.guide[...]),
          ]))
    }
    return section
  }

  /// Lists with more lines than this show half as many, and the rest on request.
  private static let longList = 16

  private static func list(_ items: ArraySlice<RichText>) -> Element {
    Element("ul", [:], items.map { Element("li", nodes: nodes($0)) })
  }

  private static func fold(_ items: ArraySlice<RichText>) -> Element {
    Element("details", [:], [Element("summary", text: "\(Quantity.grouped(items.count)) more"), list(items)])
  }

  /// Words as text and elements.
  static func nodes(_ words: RichText) -> [Element.Node] {
    words.pieces.map { piece in
      switch piece {
      case .plain(let text): .text(text)
      case .strong(let text): .element(Element("strong", text: text))
      case .code(let text): .element(Element("code", text: text))
      case .figure(let figure):
        .element(
          Element(
            "data",
            [
              "value": NumberFormat.plain(figure.value),
              "title": "\(NumberFormat.plain(figure.value)): \(figure.origin)",
            ], text: figure.text))
      }
    }
  }

  static func table(_ table: PanelTable) -> Element {
    let header = Element(
      "thead", [:],
      [
        Element(
          "tr", [:],
          table.columns.map { column in
            let cell = Element("th", ["scope": "col"], text: column.title)
            return column.isNumber ? cell.with("class", "number") : cell
          })
      ])
    let rows = table.rows.map { fields in
      Element(
        "tr", [:],
        zip(table.columns, fields).enumerated().map { place, pair in
          place == 0 ? Element("th", ["scope": "row"], nodes: nodes(pair.1.words)) : field(pair.1, pair.0)
        })
    }
    let content =
      [
        Element(
          "div", ["class": "table"],
          [
            Element(
              "table", [:],
              (table.isFolded ? [] : [Element("caption", text: table.title)]) + [header, Element("tbody", [:], rows)])
          ])
      ] + table.footer.map { Element("p", ["class": "footer"], nodes: nodes($0)) }
    guard table.isFolded else { return Element("div", ["class": "block"], content) }
    let count = "\(table.rows.count) \(table.rows.count == 1 ? "line" : "lines")"
    return Element("details", [:], [Element("summary", text: "\(table.title) (\(count))")] + content)
  }

  private static func field(_ field: PanelTable.Field, _ column: PanelTable.Column) -> Element {
    var classes = column.isNumber ? ["number"] : []
    switch field.kind {
    case .value: break
    case .best: classes.append("best")
    case .failed: classes.append("failed")
    case .absent: classes.append("absent")
    }
    if let ratio = field.ratio { classes.append("h\(HTMLStyle.shade(ratio))") }
    var element = Element("td", ["data-label": column.title], nodes: nodes(field.words))
    if !classes.isEmpty { element = element.with("class", classes.joined(separator: " ")) }
    if let hover = field.hover, !hover.isEmpty { element = element.with("title", hover) }
    return element
  }
}
