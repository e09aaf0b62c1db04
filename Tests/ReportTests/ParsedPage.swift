import Foundation
import FoundationXML

/// `report.html` as a reader of its markup sees it: tables with their fields, figures with their sources, the words
/// that pointers are told.
final class ParsedPage: NSObject, XMLParserDelegate {
  /// An element `data`: a number as people see it, and what it claims to be.
  struct Figure {
    var text = ""
    /// The attribute `value`.
    var value: String
    /// What `title` says after the value: `CELL COLUMN`, perhaps ` / CELL COLUMN`.
    var origin: String
  }

  struct Field {
    var text = ""
    var figures: [Figure] = []
    /// The text outside of figures.
    var rest = ""
  }

  struct Table {
    var columns: [String] = []
    var rows: [[Field]] = []
  }

  /// The page's tables in their order.
  private(set) var tables: [Table] = []
  /// All figures, in tables and sentences.
  private(set) var figures: [Figure] = []
  /// The `title` elements of pictures' parts, by the picture's heading.
  private(set) var hovers: [(chart: String, text: String)] = []
  /// What is not as it should be in the markup.
  private(set) var problems: [String] = []

  private var scripts = 0
  private var path: [String] = []
  private var field: Field?
  private var figure: Figure?
  private var title: String?
  private var chart = ""
  private var row: [Field]?
  private var isHead = false
  /// The cell that a line names for all of its figures, with a space.
  private var lineCell = ""

  /// Reads a page. It is HTML; but for the elements that have no end, it is well-formed XML.
  init(html: String) {
    super.init()
    var text = html.replacing("<!DOCTYPE html>", with: "")
    for name in ["meta", "link"] {
      text = text.replacing(try! Regex("<\(name)([^>]*)>")) { match in "<\(name)\(match.output[1].substring ?? "")/>" }
    }
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() { problems.append("not well-formed: \(String(describing: parser.parserError))") }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    path.append(name)
    for (attribute, value) in attributes where ["src", "href"].contains(attribute) {
      let isBeside = value == "summary.csv" || value.hasPrefix("charts/") && value.hasSuffix(".svg")
      if !value.hasPrefix("#"), !value.hasPrefix("data:"), !isBeside { problems.append("refers to \(value)") }
    }
    for forbidden in ["img", "iframe", "object"] where name == forbidden { problems.append("has a \(name)") }
    // The page's own, which its policy names by its hash, and data.
    if name == "script", attributes["type"] != "application/json" {
      scripts += 1
      if scripts > 1 || !attributes.isEmpty { problems.append("has a script of others") }
    }
    switch name {
    case "table": tables.append(Table())
    case "thead": isHead = true
    case "tr":
      row = []
      lineCell = attributes["data-cell"].map { $0 + " " } ?? ""
    case "th", "td": field = Field()
    case "data":
      let parts = (attributes["title"] ?? "").split(separator: ": ", maxSplits: 1).map(String.init)
      if parts.count != 2 || parts[0] != attributes["value"] { problems.append("a figure claims \(attributes)") }
      figure = Figure(value: attributes["value"] ?? "", origin: lineCell + (parts.last ?? ""))
    case "title": title = ""
    case "svg": chart = ""
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if figure != nil { figure?.text += text }
    if field != nil {
      field?.text += text
      if figure == nil { field?.rest += text }
    }
    if title != nil { title? += text }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    path.removeLast()
    switch name {
    case "thead": isHead = false
    case "tr":
      lineCell = ""
      guard let row, !tables.isEmpty else { break }
      if isHead {
        tables[tables.count - 1].columns = row.map(\.text)
      } else {
        tables[tables.count - 1].rows.append(row)
      }
      self.row = nil
    case "th", "td":
      if let field { row?.append(field) }
      field = nil
    case "data":
      if let figure {
        figures.append(figure)
        field?.figures.append(figure)
      }
      figure = nil
    case "title":
      if path.last == "svg" { chart = title ?? "" } else if path.contains("svg") { hovers.append((chart, title ?? "")) }
      title = nil
    default: break
    }
  }
}
