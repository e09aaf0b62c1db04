import Contract

/// A section of a Markdown page: a heading, words, a table or list, words below it.
struct MarkdownBlock {
  /// The heading's text.
  var heading: String
  /// How deep the heading is: 2 for a section, 3 within one.
  var level = 2
  /// What stands above the table.
  var words: [String] = []
  /// The table's header; nil for a list, or for words alone.
  var columns: [String]?
  /// The table's lines, or a list's items in their first field.
  var rows: [[String]] = []
  /// The line that unfolds the table; nil if it stands open.
  var summary: String?
  /// What stands below.
  var footer: [String] = []
  /// Lines that were cut off the end to keep the page short.
  var cut = 0

  /// The block's text.
  var text: String {
    var parts = ["\(String(repeating: "#", count: level)) \(heading)"] + words
    var body: [String] = []
    if let columns {
      let line = { (fields: [String]) in "| " + fields.map(Self.escaped).joined(separator: " | ") + " |" }
      body += [line(columns), "|" + columns.map { _ in " --- |" }.joined()]
      body += rows.map(line)
    } else {
      body += rows.map { "- " + ($0.first ?? "") }
    }
    if !rows.isEmpty {
      let table = body.joined(separator: "\n")
      if let summary {
        parts.append("<details><summary>\(summary)</summary>\n\n\(table)\n\n</details>")
      } else {
        parts.append(table)
      }
    }
    if cut > 0 {
      parts.append("\(Quantity.grouped(cut)) more lines are left out here; summary.csv has them all.")
    }
    return (parts + footer).joined(separator: "\n\n")
  }

  /// A field that cannot end its table's cell.
  private static func escaped(_ field: String) -> String {
    String(field.map { $0 == "|" ? "\\|" : $0 == "\n" || $0 == "\r\n" ? " " : "\($0)" }.joined())
  }
}

/// A Markdown page that keeps within a length by shortening its longest tables.
struct MarkdownDocument {
  /// The first line.
  var title: String
  /// The sections, in their order.
  var blocks: [MarkdownBlock]

  /// The page's text, cut to at most a number of bytes. A cut table says how much it lacks.
  func text(limit: Int) -> String {
    var blocks = blocks
    while true {
      let texts = blocks.map(\.text)
      let text = "# \(title)\n\n" + texts.joined(separator: "\n\n") + "\n"
      if text.utf8.count <= limit { return text }
      let sizes = texts.map(\.utf8.count)
      guard
        let longest = blocks.indices.filter({ !blocks[$0].rows.isEmpty }).max(by: { sizes[$0] < sizes[$1] })
      else {
        // Only words are left, of which there are never so many; what is whole within the limit is kept.
        return Self.head(of: text, limit: limit)
      }
      let kept = blocks[longest].rows.count * 3 / 4
      blocks[longest].cut += blocks[longest].rows.count - kept
      blocks[longest].rows.removeLast(blocks[longest].rows.count - kept)
    }
  }

  private static func head(of text: String, limit: Int) -> String {
    var size = 0
    var lines: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      size += line.utf8.count + 1
      if size > limit { break }
      lines.append(line)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
