import Foundation
#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `report.html` in the view of a reader of its markup: lists under their headings, and tables.
struct ParsedReport {
  struct Figure {
    var text: String
    var value: String
    /// The origin, `CELL COLUMN`, optionally followed by ` / CELL COLUMN`.
    var origin: String
  }

  struct Field {
    var text: String
    var figures: [Figure]
    /// The text outside of figures.
    var rest: String
  }

  struct Table {
    var section: String
    var caption = ""
    var columns: [String] = []
    var rows: [[Field]] = []

    /// Returns the texts of a row by column.
    func texts(_ row: [Field]) -> [String: String] {
      Dictionary(zip(columns, row.map(\.text)), uniquingKeysWith: { first, _ in first })
    }
  }

  struct List {
    var section: String
    var title: String
    var items: [String] = []
  }

  private(set) var tables: [Table] = []
  private(set) var lists: [List] = []
  /// The text of the page without pictures.
  private(set) var text = ""
  /// The data of the page's script: the text of the element `data`.
  private(set) var data = ""
  /// The reason why the page is invalid.
  private(set) var problem: String?

  private var section = ""
  private var title = ""

  init(html: String) {
    let xml = Data(Self.xml(html).utf8)
    // Unlike the parser, the document accepts a page that is not well-formed.
    let parser = XMLParser(data: xml)
    guard parser.parse(), let page = try? XMLDocument(data: xml, options: .nodePreserveWhitespace).rootElement() else {
      problem = "not well-formed: \(parser.parserError.map { "\($0)" } ?? "unknown")"
      return
    }
    text = page.words()
    data = page.all("script").first { $0["id"] == "data" }?.stringValue ?? ""
    read(page)
  }

  /// Returns a page as XML: without the document type, and with ends of the elements that have none in HTML.
  static func xml(_ html: String) -> String {
    html.replacing("<!DOCTYPE html>", with: "").replacing(/<(meta|link|br|hr|input)\b([^>]*)>/) { "<\($0.1)\($0.2)/>" }
  }

  /// Returns the items under a heading of a section. Empty if there is none.
  func items(_ section: String, _ title: String) -> [String] {
    lists.filter { $0.section == section && $0.title.hasPrefix(title) }.flatMap(\.items)
  }

  /// Reads the lists and tables of an element, in the order of the page.
  private mutating func read(_ element: XMLElement) {
    switch element.name {
    case "section": (section, title) = (element["id"] ?? "", "")
    case "h2": title = ""
    case "h3": title = element.words()
    case "details" where element["class"] == "guide": title = "guide"
    case "li":
      if lists.last?.section != section || lists.last?.title != title {
        lists.append(List(section: section, title: title))
      }
      lists[lists.count - 1].items.append(element.words().trimmingCharacters(in: .whitespacesAndNewlines))
    case "table": tables.append(Table(section, element))
    default: break
    }
    for child in element.children ?? [] { if let child = child as? XMLElement { read(child) } }
  }
}

extension ParsedReport.Table {
  fileprivate init(_ section: String, _ table: XMLElement) {
    self.section = section
    caption = table.all("caption").first?.words() ?? ""
    for row in table.all("tr") {
      // The cell that a line names for all its figures, with a space.
      let cell = row["data-cell"].map { $0 + " " } ?? ""
      let fields = row.all("th | .//td").map { ParsedReport.Field($0, cell) }
      if row.parent?.name == "thead" { columns = fields.map(\.text) } else { rows.append(fields) }
    }
  }
}

extension ParsedReport.Field {
  fileprivate init(_ field: XMLElement, _ cell: String) {
    text = field.words()
    rest = field.words(without: ["data"])
    figures = field.all("data").map { figure in
      let claim = (figure["title"] ?? "").split(separator: ": ", maxSplits: 1).map(String.init)
      return .init(text: figure.words(), value: figure["value"] ?? "", origin: cell + (claim.last ?? ""))
    }
  }
}

extension XMLElement {
  fileprivate subscript(attribute: String) -> String? { self.attribute(forName: attribute)?.stringValue }

  /// Returns the elements of a name within this one.
  fileprivate func all(_ name: String) -> [XMLElement] {
    (try? nodes(forXPath: ".//\(name)"))?.compactMap { $0 as? XMLElement } ?? []
  }

  /// Returns the text without pictures, scripts, links of the page to itself, and other elements.
  fileprivate func words(without names: [String] = []) -> String {
    (children ?? []).map { node in
      guard let element = node as? XMLElement else { return node.stringValue ?? "" }
      let isLeftOut = (["svg", "script"] + names).contains(element.name) || element["class"] == "anchor"
      return isLeftOut ? "" : element.words(without: names)
    }.joined()
  }
}
