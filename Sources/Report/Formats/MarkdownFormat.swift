/// `report.md`: verdict first, tables folded, short enough for a comment under a pull request.
public struct MarkdownFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "markdown"
  /// `report.md`.
  public let fileNames = ["report.md"]

  /// The most bytes that a file has.
  public static let limit = 65_000

  /// Creates the format.
  public init() {}

  /// The file's text.
  public func text(_ page: Page) -> String { Self.text(page) }

  /// The file's text.
  public static func text(_ page: Page) -> String {
    var guides: [String] = []
    let blocks = page.panels.flatMap { panel in
      guides += panel.guide.map(MarkdownText.text).filter { !guides.contains($0) }
      return self.blocks(panel)
    }
    // The pictures' explanations stand beside them in report.html; here there is one list at the end.
    let guide = MarkdownBlock(
      heading: "How to read this", rows: guides.map { [$0] }, summary: "what columns and marks mean")
    return MarkdownDocument(title: MarkdownText.escaped(page.title), blocks: blocks + (guides.isEmpty ? [] : [guide]))
      .text(limit: limit)
  }

  /// A panel as blocks: its words and lists, then a block for each table.
  static func blocks(_ panel: Panel) -> [MarkdownBlock] {
    var head = MarkdownBlock(heading: MarkdownText.escaped(panel.title), words: panel.lead.map(MarkdownText.text))
    var blocks: [MarkdownBlock] = []
    for (title, items) in panel.lists {
      let rows = items.map { [MarkdownText.text($0)] }
      if let title {
        blocks.append(MarkdownBlock(heading: MarkdownText.escaped(title), level: 3, rows: rows))
      } else {
        head.rows += rows
      }
    }
    for table in panel.tables {
      blocks.append(
        MarkdownBlock(
          heading: MarkdownText.escaped(table.title), level: 3,
          columns: table.columns.map { MarkdownText.escaped($0.title) },
          rows: table.rows.map { $0.map { MarkdownText.text($0.words) } },
          summary: table.isFolded ? "\(table.rows.count) \(table.rows.count == 1 ? "line" : "lines")" : nil,
          footer: table.footer.map(MarkdownText.text)))
    }
    return [head] + blocks
  }
}

/// Writes words with Markdown's marks.
enum MarkdownText {
  /// The sentence.
  static func text(_ words: RichText) -> String {
    words.pieces.map { piece in
      switch piece {
      case .plain(let text): escaped(text)
      case .strong(let text): "**\(escaped(text))**"
      // A text with a backtick needs a longer fence, and room between the two.
      case .code(let text): text.contains("`") ? "`` \(text) ``" : "`\(text)`"
      case .figure(let figure): escaped(figure.text)
      }
    }.joined()
  }

  /// A text in which nothing is a mark; backticks of this suite's own sentences stay.
  static func escaped(_ text: String) -> String {
    var result = ""
    var last: Character = " "
    for character in text {
      switch character {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "*", "[", "]", "\\": result += "\\\(character)"
      // Within a word it is no mark.
      case "_" where !last.isLetter && !last.isNumber: result += "\\_"
      // A single one before a number is no mark either; two are.
      case "~" where last == "~": result += "\\~"
      case "\n", "\r\n", "\r": result += " "
      default: result.append(character)
      }
      last = character
    }
    return result
  }
}
