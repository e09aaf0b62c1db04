import CStoragePage
import Foundation
import StorageContract

extension ReportFormat {
  /// The format of HTML pages, such as `report.html`. A page is one file, readable without network or scripts.
  public static let html = ReportFormat(
    id: "html",
    files: { report in
      [
        TextFile(name: "\(report.name).html") { append in
          try HTMLFormat(document: report.document, charts: chartFolder(report)).write(to: append)
        }
      ]
    },
    recognizes: { head in
      head.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")
        && ["<title>storage-bench: ", "<title>storage-bench crashtest<"].contains(where: head.contains)
    })
}

/// A writer of documents as HTML pages.
public struct HTMLFormat {
  let document: Document
  let charts: String
  private var sections: [Section] { document.sections(for: .page) }

  /// Returns the HTML page of a document as one text.
  public static func text(_ document: Document) -> String {
    var text = ""
    HTMLFormat(document: document, charts: "charts").write { text += $0 }
    return text
  }

  /// Writes the HTML page section by section, to save memory.
  func write(to append: TextFile.Append) rethrows {
    let head = Element(
      "head", [:],
      [
        Element("meta", ["charset": "utf-8"]),
        Element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
        Element("meta", ["name": "color-scheme", "content": "light dark"]),
        // The security policy forbids the browser to load anything, even an icon.
        Element(
          "meta",
          [
            "http-equiv": "Content-Security-Policy",
            "content":
              "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(PageScript.digest)'; img-src data:; base-uri 'none'; form-action 'none'",
          ]),
        Element("link", ["rel": "icon", "href": "data:,"]),
        Element("title", text: document.title),
        Element("style", nodes: [.verbatim(HTMLStyle.rules)]),
      ])
    let front = sections.filter { $0.tab == nil }
    let tabs = Tab.allCases.map { tab in (tab, sections.filter { $0.tab == tab }) }.filter { !$0.1.isEmpty }
    let targets = front.map { ($0.id, $0.title) } + tabs.map { (Self.id($0.0), $0.0.rawValue) }
    let links = targets.map { id, title in Self.item(title, link: id) }
    let footer = document.origin.map { Element("footer", [:], [Element("p", nodes: Self.nodes($0))]) }
    try append("<!DOCTYPE html>\n")
    try Element("html", ["lang": "en"], [head]).write(.html, to: append) {
      var header = Element("header", [:], [Element("h1", text: document.heading ?? document.title)])
      if !document.chips.isEmpty {
        header.append(Element("ul", ["class": "chips"], document.chips.map { Self.item($0.text, link: $0.section) }))
      }
      let nav = Element("nav", ["aria-label": "Sections"], [Element("ul", [:], links)])
      try Element("body", [:], [header, nav]).write(.html, to: append) {
        try Element("main").write(.html, to: append) {
          let isHero = front.count > 1 && front[0].isAnswer && !front[1].switchNames.isEmpty
          for (index, part) in front.enumerated() where !isHero || index != 1 {
            var element = section(part)
            if isHero, index == 0 { element.append(section(front[1])) }
            try append(element.text(.html))
          }
          for (tab, sections) in tabs {
            let summary = Element("summary", [:], [Element("span", text: tab.rawValue)])
            let details = Element("details", ["class": "tab", "id": Self.id(tab)], [summary])
            try details.write(.html, to: append) {
              for section in sections { try append(self.section(section).text(.html)) }
            }
          }
        }
        for element in [footer].compactMap({ $0 }) + script { try append(element.text(.html)) }
      }
    }
  }

  private static func item(_ text: String, link: String?) -> Element {
    guard let link else { return Element("li", text: text) }
    return Element("li", [:], [Element("a", ["href": "#\(link)"], text: text)])
  }

  private static func id(_ tab: Tab) -> String { "tab-\(tab)" }

  private var script: [Element] {
    let data = document.data.map {
      Element("script", ["type": "application/json", "id": "data"], nodes: [.verbatim(Self.withoutMarkup($0))])
    }
    return [data, Element("script", nodes: [.verbatim(PageScript.element)])].compactMap { $0 }
  }

  /// Returns JSON in which `&`, `<` and `>` are escaped, for use in an HTML element.
  private static func withoutMarkup(_ json: String) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(json.utf8.count)
    for byte in json.utf8 {
      switch byte {
      case UInt8(ascii: "&"): text += "\\u0026".utf8
      case UInt8(ascii: "<"): text += "\\u003c".utf8
      case UInt8(ascii: ">"): text += "\\u003e".utf8
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private func section(_ section: Section, level: Int = 2) -> Element {
    let heading = section.title.isEmpty ? [] : [Element("h\(level)", text: section.title)]
    let content = content(of: section, level)
    guard level == 2, !section.isAnswer, section.switchNames.isEmpty, !heading.isEmpty else {
      return Element("section", ["id": section.id], heading + content).with("class", section.isAnswer ? "answer" : nil)
    }
    let parts = [Element("summary", [:], heading), Element("div", ["class": "body"], content)]
    let details = Element("details", ["class": "part", "open": ""], parts)
    return Element("section", ["id": section.id], [details]).with("data-first", section.isOpenOnPhones ? "" : nil)
  }

  private func content(of section: Section, _ level: Int) -> [Element] {
    var content: [Element] = []
    if section.isAnswer, let headline = section.headline {
      content.append(Element("p", ["class": "recommended"], text: headline))
    }
    content += section.lead.map { Element("p", nodes: Self.nodes($0)) }
    let lists = section.lists.map { list in
      let usual = list.items.count > Self.longList ? Self.longList / 2 : list.items.count
      let shown = min(usual, list.pageLimit ?? usual)
      let heading = list.title.map { [Element("h\(level + 1)", text: $0)] } ?? []
      if shown == 0, !heading.isEmpty {
        return Element("details", [:], [Element("summary", [:], heading), Self.list(list.items[...])])
      }
      var block = Element("div", [:], heading + [Self.list(list.items.prefix(shown))])
      let rest = list.items.dropFirst(shown)
      let more = Element("summary", text: "\(Quantity.grouped(rest.count)) more")
      if !rest.isEmpty { block.append(Element("details", [:], [more, Self.list(rest)])) }
      return block
    }
    if !lists.isEmpty { content.append(Element("div", ["class": "lists"], lists)) }
    if !section.switchNames.isEmpty {
      content.append(Self.switches(section, section.charts.map(figure)))
    } else if !section.charts.isEmpty {
      content.append(Element("div", ["class": "charts"], section.charts.map(figure)))
    }
    content += section.tables.enumerated().map { table($1, id: "\(section.id)-table-\($0 + 1)", in: section) }
    content += section.code.map { Element("p", ["class": "code"], [Element("code", text: $0)]) }
    content += section.sections.map { self.section($0, level: level + 1) }
    if !section.guide.isEmpty {
      let summary = Element("summary", text: "How to read this")
      content.append(Element("details", ["class": "guide"], [summary, Self.list(section.guide[...])]))
    }
    return content
  }

  /// Returns the charts of a section with radio buttons, which select the visible chart.
  private static func switches(_ section: Section, _ figures: [Element]) -> Element {
    let choices = section.switchNames.enumerated().flatMap { index, name in
      let id = "\(section.id)-\(index + 1)"
      let input = Element("input", ["type": "radio", "name": section.id, "id": id])
      return [input.with("checked", index == 0 ? "" : nil), Element("label", ["for": id], text: name)]
    }
    return Element("div", ["class": "switch", "role": "radiogroup", "aria-label": section.title], choices + figures)
  }

  private func figure(_ chart: any Chart) -> Element {
    let id = "chart-\(chart.id)"
    let file = Element(
      "a", ["href": "\(charts)/\(chart.id).svg", "aria-label": "\(chart.title): as a file"], text: "SVG")
    return Element(
      "figure", ["id": id],
      [chart.element(), Element("figcaption", [:], [file, Self.anchor(id, chart.title)])])
  }

  private static func anchor(_ id: String, _ title: String) -> Element {
    Element("a", ["class": "anchor", "href": "#\(id)", "aria-label": "Link to: \(title)"], text: "#")
  }

  /// The maximum number of sentences in a list that a page shows in full. Of a longer list, a part is collapsed.
  private static let longList = 16

  private static func list(_ items: ArraySlice<RichText>) -> Element {
    Element("ul", [:], items.map { Element("li", nodes: nodes($0)) })
  }

  /// Returns a sentence as HTML. Each number has a tooltip with its exact value and its source.
  private static func nodes(_ words: RichText, of cell: String? = nil) -> [Element.Node] {
    words.pieces.map { piece in
      switch piece {
      case .plain(let text): .text(text)
      case .strong(let text): .element(Element("strong", text: text))
      case .code(let text): .element(Element("code", text: text))
      case .file(let name): .element(Element("a", ["href": name], text: name))
      case .figure(let figure):
        .element(
          Element(
            "data",
            [
              "value": NumberFormat.plain(figure.value),
              "title": "\(NumberFormat.plain(figure.value)): \(figure.origin(within: cell))",
            ], text: figure.text))
      }
    }
  }

  private func table(_ table: Table, id: String, in section: Section) -> Element {
    let titles = table.columns.map { column in
      Element("th", ["scope": "col"], text: column.title).with("class", column.isNumber ? "number" : nil)
    }
    let header = Element("thead", [:], [Element("tr", [:], titles)])
    let rows = table.rows.map { fields in
      // The row names its benchmark once, not at each figure, to keep pages with long tables small.
      let cells = Set(fields.flatMap(\.words.figures).flatMap { [$0.source.cell, $0.divisor?.cell ?? $0.source.cell] })
      let cell = cells.count == 1 ? cells.first : nil
      let row = Element(
        "tr", [:],
        zip(table.columns, fields).enumerated().map { index, pair in
          index == 0
            ? Element("th", ["scope": "row"], nodes: Self.nodes(pair.1.words, of: cell))
            : Self.field(pair.1, pair.0, of: cell)
        })
      // Each row becomes text at once, because elements take several times the memory of text.
      return Element.Node.verbatim(row.with("data-cell", cell).text(.html))
    }
    // A folded table's summary shows its title; the caption repeats the title for screen readers.
    let name = table.title.isEmpty ? section.title : table.title
    let words = Element("span", table.isFolded || table.title.isEmpty ? ["class": "unseen"] : [:], text: name)
    let caption = Element("caption", [:], [words, Self.anchor(id, name)])
    // For accessibility, a scrollable region can be reached by keyboard and has a label.
    let region = Element(
      "div", ["class": "table", "tabindex": "0", "role": "region", "aria-label": name],
      [Element("table", [:], [caption, header, Element("tbody", nodes: rows)])])
    let content = [region] + table.footer.map { Element("p", ["class": "footer"], nodes: Self.nodes($0)) }
    guard table.isFolded else { return Element("div", ["class": "block", "id": id], content) }
    let count = Quantity.counted(table.rows.count, "line")
    return Element("details", ["id": id], [Element("summary", text: "\(name) (\(count))")] + content)
  }

  private static func field(_ field: Table.Field, _ column: Table.Column, of cell: String?) -> Element {
    var classes = column.isNumber ? ["number"] : []
    if field.kind != .value { classes.append(field.kind.rawValue) }
    if let ratio = field.ratio { classes.append("h\(HTMLStyle.shade(ratio))") }
    return Element("td", nodes: nodes(field.words, of: cell))
      .with("class", classes.isEmpty ? nil : classes.joined(separator: " "))
      .with("title", field.hover?.isEmpty == true ? nil : field.hover)
  }
}

/// The JavaScript of an HTML page. The page can be read without JavaScript.
enum PageScript {
  // A hash is used, because a fixed nonce could be copied, and a random nonce would make equal pages differ.
  /// The SHA-256 hash of ``element`` in Base64, for the page's content security policy. A browser runs no other script.
  static let digest = "yWFEmjnUn29upfpP5hjmIo5IxqYO66oMQmX+qFYqLTc="

  /// The content of the page's script element. A CDATA section in JavaScript comments makes the page valid XML.
  static let element = "/*<![CDATA[*/\(text)/*]]>*/"

  static let text: String = {
    // Splitting at line breaks is safe, because no string in the script contains one.
    let lines = String(cString: csp_script()).split(separator: "\n")
      .map { $0.drop(while: { $0 == " " }) }
      .filter { !$0.isEmpty && !$0.hasPrefix("//") }
    return "\n\"use strict\";\n" + lines.joined(separator: "\n") + "\n"
  }()
}

/// The CSS of an HTML page, for light and dark mode, wide and narrow screens, and paper.
enum HTMLStyle {
  /// The file page.css, with generated rules in place of some comments.
  static let rules = [
    ("light colours", ChartStyle.light), ("dark colours", ChartStyle.dark), ("chart rules", ChartStyle.rules),
    ("chosen figures,", chosen),
  ].reduce("\n" + String(cString: csp_page_style())) { $0.replacing("/* \($1.0) */", with: $1.1) }

  private static let chosen = (1...8).map {
    ".switch > input:nth-of-type(\($0)):checked ~ figure:nth-of-type(\($0)),"
  }.joined(separator: " ")

  /// Returns the colour strength of a field: 0 for the best value of a row, 9 for a value 1,000 times as large or more.
  static func shade(_ ratio: Double) -> Int { Quantity.whole(HeatChart.share(ratio) * 9) }
}
