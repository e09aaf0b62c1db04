import Foundation
import FoundationXML
@testable import check_run

/// The parser of a page or a picture that lists active and foreign markup.
final class MarkupProblems: NSObject, XMLParserDelegate {
  private(set) var all: [String] = []
  private let isPage: Bool
  private var scripts = 0

  /// Returns the problems of a page. It is HTML; but for the elements without an end tag it is well-formed XML.
  static func ofPage(_ html: String) -> [String] { MarkupProblems(ParsedReport.xml(html), isPage: true).all }

  /// Returns the problems of an XML file or a picture.
  static func ofXML(_ text: String) -> [String] { MarkupProblems(text, isPage: false).all }

  private init(_ text: String, isPage: Bool) {
    self.isPage = isPage
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() { all.append("not well-formed: \(String(describing: parser.parserError))") }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    guard isPage else {
      if ["script", "img", "a", "foreignObject", "image", "use"].contains(name) { all.append("has a \(name)") }
      all += attributes.keys.filter { $0.hasPrefix("on") || $0.hasSuffix("href") }.map { "has \($0)" }
      return
    }
    for (attribute, value) in attributes where ["src", "href"].contains(attribute) {
      let isBeside = value == "summary.csv" || value.hasPrefix("charts/") && value.hasSuffix(".svg")
      if !value.hasPrefix("#"), !value.hasPrefix("data:"), !isBeside { all.append("refers to \(value)") }
    }
    if ["img", "iframe", "object"].contains(name) { all.append("has a \(name)") }
    // The script of the page has no attributes, and its policy has the hash of its text. The other one is data.
    if name == "script", attributes["type"] != "application/json" {
      scripts += 1
      if scripts > 1 || !attributes.isEmpty { all.append("has a script from elsewhere") }
    }
    if name == "data", attributes["title"]?.hasPrefix("\(attributes["value"] ?? ""): ") != true {
      all.append("a figure claims \(attributes)")
    }
  }
}
