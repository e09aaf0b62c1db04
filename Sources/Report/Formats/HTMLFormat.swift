import Foundation
import StorageContract

/// `report.html`, `comparison.html`: one file with everything in it. No script, no network; light and dark; on a phone
/// and on paper.
public struct HTMLFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "html"

  /// Creates the format.
  public init() {}

  /// One file.
  public func files(_ report: any Report) -> [(name: String, text: String)] {
    [("\(report.name).html", Self.text(report.document))]
  }

  /// The file's text.
  public static func text(_ document: Document) -> String { HTMLPage(document: document).text }
}

/// A document as a page of HTML.
private struct HTMLPage {
  let document: Document
  private var sections: [Section] { document.sections(for: .page) }

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
        Element("title", text: document.title),
        Element("style", nodes: [.style(HTMLStyle.rules)]),
      ])
    let links = sections.map { section in
      Element("li", [:], [Element("a", ["href": "#\(section.id)"], text: section.title)])
    }
    let body = Element(
      "body", [:],
      [
        Element("header", [:], [Element("h1", text: document.title)]),
        Element("nav", ["aria-label": "Sections"], [Element("ul", [:], links)]),
        Element("main", [:], sections.map { Self.section($0) }),
      ] + (document.origin.map { [Element("footer", [:], [Element("p", text: $0)])] } ?? []))
    return "<!DOCTYPE html>\n" + Element("html", ["lang": "en"], [head, body]).text(.html)
  }

  /// A section with its parts; these have smaller headings.
  private static func section(_ section: Section, level: Int = 2) -> Element {
    var element = Element(
      "section", ["id": section.id], section.title.isEmpty ? [] : [Element("h\(level)", text: section.title)])
    if section.isAnswer, !section.charts.isEmpty { element = element.with("class", "answer") }
    element.append(section.lead.map { Element("p", nodes: nodes($0)) })
    let lists = section.lists.map { list in
      let shown = list.items.count > longList ? longList / 2 : list.items.count
      var block = Element("div", [:], list.title.map { [Element("h\(level + 1)", text: $0)] } ?? [])
      block.append(self.list(list.items.prefix(shown)))
      if shown < list.items.count { block.append(fold(list.items.dropFirst(shown))) }
      return block
    }
    if !lists.isEmpty { element.append(Element("div", ["class": "lists"], lists)) }
    if !section.charts.isEmpty {
      element.append(
        Element("div", ["class": "charts"], section.charts.map { Element("figure", [:], [$0.inline()]) }))
    }
    element.append(section.tables.map { table($0, in: section) })
    element.append(section.code.map { Element("p", ["class": "code"], [Element("code", text: $0)]) })
    element.append(section.sections.map { self.section($0, level: level + 1) })
    if !section.guide.isEmpty {
      element.append(
        Element(
          "details", ["class": "guide"],
          [Element("summary", text: "How to read this"), list(section.guide[...])]))
    }
    return element
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
  private static func nodes(_ words: RichText) -> [Element.Node] {
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

  private static func table(_ table: Table, in section: Section) -> Element {
    let name = table.title.isEmpty ? section.title : table.title
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
        // What may have to be scrolled is reached by the keyboard, and says what it is.
        Element(
          "div",
          ["class": "table", "role": "region", "tabindex": "0", "aria-label": name],
          [
            Element(
              "table", table.title.isEmpty ? ["aria-label": name] : [:],
              (table.isFolded || table.title.isEmpty ? [] : [Element("caption", text: table.title)]) + [
                header, Element("tbody", [:], rows),
              ])
          ])
      ] + table.footer.map { Element("p", ["class": "footer"], nodes: nodes($0)) }
    guard table.isFolded else { return Element("div", ["class": "block"], content) }
    let count = "\(table.rows.count) \(table.rows.count == 1 ? "line" : "lines")"
    return Element("details", [:], [Element("summary", text: "\(table.title) (\(count))")] + content)
  }

  private static func field(_ field: Table.Field, _ column: Table.Column) -> Element {
    var classes = column.isNumber ? ["number"] : []
    switch field.kind {
    case .value: break
    case .best: classes.append("best")
    case .failed: classes.append("failed")
    case .absent: classes.append("absent")
    }
    if let ratio = field.ratio { classes.append("h\(HTMLStyle.shade(ratio))") }
    var element = Element("td", nodes: nodes(field.words))
    if !classes.isEmpty { element = element.with("class", classes.joined(separator: " ")) }
    if let hover = field.hover, !hover.isEmpty { element = element.with("title", hover) }
    return element
  }
}
