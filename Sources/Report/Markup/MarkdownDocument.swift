import StorageContract

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
    guard field.utf8.contains(where: { $0 == 0x7C || $0 == 0x0A || $0 == 0x0D }) else { return field }
    return String(field.map { $0 == "|" ? "\\|" : $0 == "\n" || $0 == "\r\n" ? " " : "\($0)" }.joined())
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
    var texts = blocks.map(\.text)
    let heading = "# \(title)\n\n"
    // Between blocks there are two line ends, after the last one.
    func size() -> Int { heading.utf8.count + texts.reduce(0) { $0 + $1.utf8.count + 2 } - 1 }
    while size() > limit {
      guard
        let longest = blocks.indices.filter({ !blocks[$0].rows.isEmpty })
          .max(by: { texts[$0].utf8.count < texts[$1].utf8.count })
      else {
        // Only words are left, of which there are never so many; what is whole within the limit is kept.
        return Self.head(of: heading + texts.joined(separator: "\n\n") + "\n", limit: limit)
      }
      let kept = blocks[longest].rows.count * 3 / 4
      blocks[longest].cut += blocks[longest].rows.count - kept
      blocks[longest].rows.removeLast(blocks[longest].rows.count - kept)
      texts[longest] = blocks[longest].text
    }
    return heading + texts.joined(separator: "\n\n") + "\n"
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
