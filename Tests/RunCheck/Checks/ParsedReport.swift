import Foundation
#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `report.html` in the view of a reader of its markup: lists under their headings, and tables.
final class ParsedReport: NSObject, XMLParserDelegate {
  struct Figure {
    var text = ""
    var value: String
    /// The origin, `CELL COLUMN`, optionally followed by ` / CELL COLUMN`.
    var origin: String
  }

  struct Field {
    var text = ""
    var figures: [Figure] = []
    /// The text outside of figures.
    var rest = ""
  }

  struct Table {
    var section: String
    var caption = ""
    var columns: [String] = []
    var rows: [[Field]] = []
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
  private var heading: String?
  private var title = ""
  private var item: String?
  private var caption: String?
  private var field: Field?
  private var figure: Figure?
  private var row: [Field]?
  private var isHead = false
  private var pictures = 0
  /// The cell that a line names for all its figures, with a space.
  private var lineCell = ""
  private var isScript = false
  private var isData = false
  /// Whether the parser is in a link to the page itself, which names nothing.
  private var isAnchor = false

  init(html: String) {
    super.init()
    var text = html.replacing("<!DOCTYPE html>", with: "")
    for name in ["meta", "link", "br", "hr", "input"] {
      guard let tag = try? Regex("<\(name)([^>]*)>") else { continue }
      text = text.replacing(tag) { "<\(name)\($0.output[1].substring ?? "")/>" }
    }
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() { problem = "not well-formed: \(parser.parserError.map { "\($0)" } ?? "unknown")" }
  }

  /// Returns the items under a heading of a section. Empty if there is none.
  func items(_ section: String, _ title: String) -> [String] {
    lists.filter { $0.section == section && $0.title.hasPrefix(title) }.flatMap(\.items)
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    switch name {
    case "section":
      section = attributes["id"] ?? ""
      title = ""
    case "svg": pictures += 1
    case "script":
      isScript = true
      isData = attributes["id"] == "data"
    case "a": isAnchor = attributes["class"] == "anchor"
    case "h2", "h3": heading = ""
    case "li": item = ""
    case "details": if attributes["class"] == "guide" { title = "guide" }
    case "table": tables.append(Table(section: section))
    case "caption": caption = ""
    case "thead": isHead = true
    case "tr":
      row = []
      lineCell = attributes["data-cell"].map { $0 + " " } ?? ""
    case "th", "td": field = Field()
    case "data":
      let claim = (attributes["title"] ?? "").split(separator: ": ", maxSplits: 1).map(String.init)
      figure = Figure(value: attributes["value"] ?? "", origin: lineCell + (claim.last ?? ""))
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    if isData { data += string }
    guard pictures == 0, !isScript, !isAnchor else { return }
    text += string
    heading? += string
    item? += string
    caption? += string
    figure?.text += string
    field?.text += string
    if figure == nil { field?.rest += string }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    switch name {
    case "svg": pictures -= 1
    case "script": (isScript, isData) = (false, false)
    case "a": isAnchor = false
    case "h2", "h3":
      title = name == "h2" ? "" : heading ?? ""
      heading = nil
    case "li":
      if lists.last?.section != section || lists.last?.title != title {
        lists.append(List(section: section, title: title))
      }
      lists[lists.count - 1].items.append((item ?? "").trimmingCharacters(in: .whitespacesAndNewlines))
      item = nil
    case "caption":
      if !tables.isEmpty { tables[tables.count - 1].caption = caption ?? "" }
      caption = nil
    case "thead": isHead = false
    case "tr":
      lineCell = ""
      if let row, !tables.isEmpty {
        if isHead {
          tables[tables.count - 1].columns = row.map(\.text)
        } else {
          tables[tables.count - 1].rows.append(row)
        }
      }
      row = nil
    case "th", "td":
      if let field { row?.append(field) }
      field = nil
    case "data":
      if let figure { field?.figures.append(figure) }
      figure = nil
    default: break
    }
  }
}
