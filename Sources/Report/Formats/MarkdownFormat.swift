import StorageContract

extension ReportFormat {
  /// Returns the format of Markdown reports. By default, the text fits into a comment on a pull request.
  ///
  /// - Parameters:
  ///   - isShort: Whether to write only the short version, ``Report/short``.
  ///   - limit: The maximum size in bytes of a full report.
  public static func markdown(isShort: Bool = false, limit: Int = MarkdownFormat.limit) -> ReportFormat {
    ReportFormat(
      id: "markdown",
      files: { report in
        let text = isShort ? MarkdownFormat.shortText(report) : MarkdownFormat.text(report.document, limit: limit)
        return [TextFile(name: "\(report.name).md") { try $0(text) }]
      },
      recognizes: { MarkdownFormat.isReport($0) || MarkdownFormat.isShort($0) })
  }
}

/// A writer of documents as Markdown.
public enum MarkdownFormat {
  /// The maximum size of a Markdown file in bytes. GitHub rejects longer comments on pull requests.
  public static let limit = 65_000

  package static func isReport(_ head: String) -> Bool {
    let lines = head.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
    return lines.count > 3 && ["# storage-bench: ", "# storage-bench crashtest"].contains(where: lines[0].hasPrefix)
      && lines[1].isEmpty && lines[2].hasPrefix("## ")
  }

  /// The hidden first line of a short Markdown report, by which the program recognizes files that it may replace.
  private static let shortMark = "<!-- Made by storage-bench, which replaces this file. -->"

  package static func isShort(_ head: String) -> Bool { head.hasPrefix(shortMark + "\n") }

  package static func shortText(_ report: any Report) -> String { shortMark + "\n\n" + text(report.short) }

  /// Returns a document as Markdown of at most `limit` bytes. Long tables are cut.
  public static func text(_ document: Document, limit: Int = limit) -> String {
    // A section that has only charts is left out, because Markdown has none.
    let parts = document.sections(for: .page).map { (section: $0, blocks: blocks($0)) }.filter { !$0.blocks.isEmpty }
    // The explanations of all sections form one list at the end.
    let guides = parts.flatMap(\.section.guide).map(MarkdownText.text).unique
    let guide = MarkdownBlock(
      heading: "How to read this", rows: guides.map { [$0] }, summary: "what columns and marks mean")
    let title = document.title.isEmpty ? "" : "# \(MarkdownText.escaped(document.title))\n\n"
    return text(title, parts.flatMap(\.blocks) + (guides.isEmpty ? [] : [guide]), limit)
  }

  /// Returns a heading and blocks as a text of at most `limit` bytes. The longest tables and lists are cut.
  private static func text(_ heading: String, _ blocks: [MarkdownBlock], _ limit: Int) -> String {
    var blocks = blocks
    var texts = blocks.map(\.text)
    func size() -> Int { heading.utf8.count + texts.reduce(0) { $0 + $1.utf8.count + 2 } - 1 }
    while size() > limit {
      guard
        let longest = blocks.indices.filter({ !blocks[$0].rows.isEmpty })
          .max(by: { texts[$0].utf8.count < texts[$1].utf8.count })
      else {
        // If there are no rows to cut, whole lines within the limit are kept.
        return head(of: heading + texts.joined(separator: "\n\n") + "\n", limit: limit)
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
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { line in
      size += line.utf8.count + 1
      return size <= limit
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func blocks(_ section: Section, level: Int = 2) -> [MarkdownBlock] {
    var blocks = [
      MarkdownBlock(
        heading: MarkdownText.escaped(section.title), level: level, words: section.lead.map(MarkdownText.text))
    ]
    for list in section.lists {
      let rows = list.items.map { [MarkdownText.text($0)] }
      if let title = list.title {
        blocks.append(MarkdownBlock(heading: MarkdownText.escaped(title), level: level + 1, rows: rows))
      } else {
        blocks[0].rows += rows
      }
    }
    blocks += section.tables.map { table in
      MarkdownBlock(
        heading: MarkdownText.escaped(table.title), level: level + 1,
        columns: table.columns.map { MarkdownText.escaped($0.title) },
        rows: table.rows.map { $0.map { MarkdownText.text($0.words) } },
        summary: table.isFolded ? Quantity.counted(table.rows.count, "line") : nil,
        footer: table.footer.map(MarkdownText.text))
    }
    if !section.code.isEmpty {
      blocks[blocks.count - 1].footer.append(section.code.map { "    \($0.visible)" }.joined(separator: "\n"))
    }
    blocks += section.sections.flatMap { self.blocks($0, level: level + 1) }
    let head = blocks[0]
    let isEmpty = blocks.count == 1 && head.words.isEmpty && head.rows.isEmpty && head.footer.isEmpty
    return isEmpty || head.text.isEmpty ? Array(blocks.dropFirst()) : blocks
  }
}

enum MarkdownText {
  /// Returns a sentence as Markdown. A beginning that looks like a Markdown heading or list is escaped.
  static func text(_ words: RichText) -> String {
    let text = words.pieces.map { piece in
      switch piece {
      case .plain(let text): escaped(text)
      case .strong(let text): "**\(escaped(text))**"
      case .code(let text): code(text.visible)
      case .figure(let figure): escaped(figure.text)
      case .file(let name): "[\(escaped(name))](\(name.visible))"
      }
    }.joined()
    let start = text.drop { $0 == " " }
    let digits = start.prefix { $0.isASCII && $0.isNumber }
    let rest = start[digits.endIndex...]
    let marks = digits.isEmpty ? ["#", "- ", "+ ", "---", "==="] : [". ", ") "]
    return marks.contains { rest.hasPrefix($0) } ? "\(digits)\\\(rest)" : String(start)
  }

  private static func code(_ text: String) -> String {
    // Code in a Markdown table cannot contain `\|`.
    if zip(text.utf8, text.utf8.dropFirst()).contains(where: { $0 == 0x5C && $1 == 0x7C }) { return escaped(text) }
    guard text.contains("`") else { return "`\(text)`" }
    let longest = text.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(2, longest + 1))
    return "\(fence) \(text) \(fence)"
  }

  static func escaped(_ text: String) -> String {
    let ticks = text.utf8.enumerated().filter { $0.element == UInt8(ascii: "`") }.map(\.offset)
    let arePairs = ticks.count.isMultiple(of: 2) && zip(ticks, ticks.dropFirst()).allSatisfy { $1 - $0 > 1 }
    var result = ""
    var last: Unicode.Scalar = " "
    // The text is split by scalars, because a mark followed by a combining accent is still a mark.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "*", "[", "]", "\\": result += "\\\(scalar)"
      // Within a word an underscore is not a mark.
      case "_" where !last.properties.isAlphabetic && last.properties.numericType == nil: result += "\\_"
      // Two tildes are a mark in Markdown, a single one is not.
      case "~" where last == "~": result += "\\~"
      case "`" where !arePairs: result += "\\`"
      // Web addresses must not become links.
      case "/" where last == ":", "." where last == "w" && result.hasSuffix("www"): result += "\\\(scalar)"
      case "\n" where last == "\r": break
      case "\n", "\r": result += " "
      case " "..."}": result.unicodeScalars.append(scalar)
      default: result += String(scalar).visible
      }
      last = scalar
    }
    return result
  }
}

/// A part of a Markdown file: a heading, a text, and a table or list that can be shortened.
private struct MarkdownBlock {
  var heading: String
  var level = 2
  var words: [String] = []
  /// The column titles of the table. Nil if there is no table.
  var columns: [String]?
  /// The rows of the table, or the items of the list as rows with one field.
  var rows: [[String]] = []
  var summary: String?
  var footer: [String] = []
  var cut = 0

  var text: String {
    var parts = (heading.isEmpty ? [] : ["\(String(repeating: "#", count: level)) \(heading)"]) + words
    var body = rows.map { "- " + ($0.first ?? "") }
    if let columns {
      let line = { (fields: [String]) in "| " + fields.map(Self.escaped).joined(separator: " | ") + " |" }
      body = [line(columns), "|" + columns.map { _ in " --- |" }.joined()] + rows.map(line)
    }
    if !rows.isEmpty {
      let table = body.joined(separator: "\n")
      parts.append(summary.map { "<details><summary>\($0)</summary>\n\n\(table)\n\n</details>" } ?? table)
    }
    if cut > 0 {
      let lines = cut == 1 ? "1 more line is" : "\(Quantity.grouped(cut)) more lines are"
      parts.append("\(lines) left out here; summary.csv has them all.")
    }
    return (parts + footer).joined(separator: "\n\n")
  }

  private static func escaped(_ field: String) -> String {
    guard field.utf8.contains(0x7C) else { return field }
    // The text is split by scalars, because a bar with a combining accent is a single character.
    return field.unicodeScalars.map { $0 == "|" ? "\\|" : String($0) }.joined()
  }
}
