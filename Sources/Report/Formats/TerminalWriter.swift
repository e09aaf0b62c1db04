/// A writer of documents for a terminal or a log.
public struct TerminalWriter {
  /// The default width of the text in columns, which suits a log file.
  public static let width = 100

  /// The use of colour and bold text on a terminal.
  public enum Style: Sendable {
    /// No colour: for logs, and if `NO_COLOR` is set.
    case plain
    /// Bold for emphasis, red for failures.
    case coloured
  }

  private let width: Int
  private let tableWidth: Int
  private let style: Style

  /// Returns a document as text for a terminal. The most important section is last, next to the cursor. Long names and
  /// commands may exceed the width.
  ///
  /// - Parameters:
  ///   - width: The number of columns of the terminal.
  ///   - tableWidth: The maximum width of a table in columns; nil for `width`.
  public static func text(
    _ document: Document, width: Int = width, tableWidth: Int? = nil, style: Style = .plain
  ) -> String {
    let writer = TerminalWriter(width: width, tableWidth: tableWidth ?? width, style: style)
    let blocks = document.sections(for: .terminal).reversed().flatMap(writer.blocks)
    return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  /// Returns a sentence as lines of at most `width` columns for a terminal.
  public static func text(_ sentence: String, width: Int = width) -> String {
    text(Document(title: "", sections: [Section(id: "", title: "", lead: [RichText(sentence)])]), width: width)
  }

  private func blocks(_ section: Section) -> [[String]] {
    var blocks = [section.lead.flatMap(filled)]
    for list in section.lists {
      let shown = list.items.prefix(list.terminalLimit ?? .max)
      let more = list.items.count - shown.count
      blocks.append(
        [list.title?.visible].compactMap { $0 } + shown.flatMap(filled)
          + (more > 0 ? ["... and \(more) more in the report."] : []))
    }
    for table in section.tables {
      let title = table.title.isEmpty ? [] : [table.title.visible]
      blocks.append(title + TerminalTable(table, style).lines(width: tableWidth) + table.footer.flatMap(filled))
    }
    // Commands are not wrapped to the width of the terminal, so that they can be copied.
    blocks[blocks.count - 1] += section.code.map { "  \($0.visible)" }
    return blocks.filter { !$0.isEmpty } + section.sections.flatMap { self.blocks($0) }
  }

  private func filled(_ words: RichText) -> [String] {
    var lines: [(text: String, columns: Int)] = []
    for word in Self.words(words) {
      let columns = word.reduce(0) { $0 + $1.text.count }
      let text = word.map { style == .coloured && $0.isStrong ? "\u{1B}[1m\($0.text)\u{1B}[0m" : $0.text }.joined()
      if let last = lines.last, last.columns + 1 + columns <= width {
        lines[lines.count - 1] = ("\(last.text) \(text)", last.columns + 1 + columns)
      } else {
        lines.append(lines.isEmpty ? (text, columns) : ("  " + text, columns + 2))
      }
    }
    return lines.map(\.text)
  }

  private static func words(_ sentence: RichText) -> [[(text: String, isStrong: Bool)]] {
    var words: [[(text: String, isStrong: Bool)]] = [[]]
    for piece in sentence.pieces {
      let isStrong = if case .strong = piece { true } else { false }
      let parts = RichText([piece]).text.visible.split(separator: " ", omittingEmptySubsequences: false)
      for (position, part) in parts.enumerated() {
        if position > 0 { words.append([]) }
        if !part.isEmpty { words[words.count - 1].append((String(part), isStrong)) }
      }
    }
    return words.filter { !$0.isEmpty }
  }
}

/// A table for a terminal. On a narrow terminal, optional columns are omitted first. If the table is still too wide,
/// long texts are wrapped or the table is divided.
private struct TerminalTable {
  private typealias Field = (text: String, isRed: Bool)

  private var columns: [Table.Column]
  private var rows: [[Field]]
  private let style: TerminalWriter.Style
  private let hasNames: Bool

  private static let gap = 2
  private static let headerWidth = 22
  private static let shortestName = 13
  private static let shortestSentence = 20

  init(_ table: Table, _ style: TerminalWriter.Style) {
    columns = table.columns
    for index in columns.indices { columns[index].title = columns[index].title.visible }
    rows = table.rows.map { $0.map { ($0.words.text.visible, $0.kind == .failed) } }
    self.style = style
    hasNames = table.rows.contains { row in
      row.first?.words.pieces.contains { if case .code = $0 { true } else { false } } ?? false
    }
  }

  func lines(width: Int) -> [String] {
    guard !columns.isEmpty else { return [] }
    var copy = self
    while copy.total - copy.widths[0] + min(copy.widths[0], Self.shortestName) > width,
      let optional = copy.columns.firstIndex(where: \.isOptional)
    {
      copy.columns.remove(at: optional)
      for row in copy.rows.indices { copy.rows[row].remove(at: optional) }
    }
    if copy.total <= width { return copy.aligned(width) }
    if let lines = copy.linesWithSentences(width) { return lines }
    if copy.hasNames { return copy.linesWithNames(width) }
    let room = width - (copy.total - copy.widths[0])
    let names = copy.rows.map { Self.name($0[0].text, room, width) }
    let areNarrow = room >= Self.shortestName && names.allSatisfy { $0[0].count <= room }
    return copy.aligned(width, names: areNarrow ? names : nil)
  }

  private var headers: [[String]] { columns.map { Self.wrapped($0.title, to: Self.headerWidth) } }

  private var widths: [Int] {
    columns.indices.map { column in
      max(headers[column].map(\.count).max() ?? 0, rows.map { $0[column].text.count }.max() ?? 0)
    }
  }

  private var total: Int { widths.reduce(0, +) + Self.gap * (columns.count - 1) }

  /// Returns the lines of the table, with the sentences of the last column wrapped. Nil if it cannot be wrapped.
  private func linesWithSentences(_ width: Int) -> [String]? {
    let left = total - (widths.last ?? 0)
    let room = width - left
    guard columns.count > 1, columns.last?.isNumber == false, room >= Self.shortestSentence else { return nil }
    var copy = self
    let last = columns.count - 1
    let sentences = rows.map { row in
      let lines = Self.joined(row[last].text.split(separator: " ").map(String.init), room, separator: " ")
      return lines.isEmpty ? [""] : lines
    }
    for row in rows.indices { copy.rows[row][last].text = sentences[row][0] }
    let lines = copy.aligned(width)
    let indent = String(repeating: " ", count: left)
    return lines.dropLast(rows.count)
      + zip(lines.suffix(rows.count), sentences).flatMap { line, sentence in
        [line] + sentence.dropFirst().map { indent + $0 }
      }
  }

  /// Returns the lines of the table. The name of each row is on a separate line above the row's other fields.
  private func linesWithNames(_ width: Int) -> [String] {
    var figures = self
    figures.columns[0].title = ""
    for row in figures.rows.indices { figures.rows[row][0].text = "" }
    let lines = figures.aligned(width)
    // A divided table has more lines than rows, so names could not be matched with figures.
    guard let header = lines.first, lines.count == rows.count + 1 else { return aligned(width) }
    return [header]
      + zip(rows.indices, lines.dropFirst()).flatMap { position, figures in
        let isNamed = position > 0 && rows[position - 1][0].text == rows[position][0].text
        return (isNamed ? [] : Self.wrapped(rows[position][0].text, to: width)) + [figures]
      }
  }

  /// Returns the lines of the table. `names` has the lines of the first field of each row, if it is wrapped.
  private func aligned(_ width: Int, names wrapped: [[String]]? = nil) -> [String] {
    let names = wrapped ?? rows.map { [$0[0].text] }
    let headers = headers
    var widths = widths
    widths[0] = max(headers[0].map(\.count).max() ?? 0, names.map { $0[0].count }.max() ?? 0)
    var lines: [String] = []
    var next = 1
    repeat {
      var shown = [0]
      var total = widths[0]
      while next < columns.count, shown.count == 1 || total + Self.gap + widths[next] <= width {
        total += Self.gap + widths[next]
        shown.append(next)
        next += 1
      }
      if !lines.isEmpty { lines.append("") }
      let height = shown.map { headers[$0].count }.max() ?? 1
      let titles = shown.map { Array(repeating: "", count: height - headers[$0].count) + headers[$0] }
      for line in 0..<height { lines.append(joined(titles.map { ($0[line], false) }, shown, widths)) }
      for (name, row) in zip(names, rows) {
        lines.append(joined([(name[0], row[0].isRed)] + shown.dropFirst().map { row[$0] }, shown, widths))
        lines += name.dropFirst()
      }
    } while next < columns.count
    return lines
  }

  private func joined(_ fields: [Field], _ shown: [Int], _ widths: [Int]) -> String {
    var line = ""
    for (field, column) in zip(fields, shown) {
      if column != shown.first { line += String(repeating: " ", count: Self.gap) }
      let space = String(repeating: " ", count: max(0, widths[column] - field.text.count))
      let text = style == .coloured && field.isRed ? "\u{1B}[31m\(field.text)\u{1B}[0m" : field.text
      line += columns[column].isNumber ? space + text : text + space
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  private static func name(_ name: String, _ room: Int, _ width: Int) -> [String] {
    let first = wrapped(name, to: max(1, room))[0]
    let rest = String(name.dropFirst(first.count))
    return [first] + (rest.isEmpty ? [] : wrapped(rest, to: width - 2).map { "  \($0)" })
  }

  private static func wrapped(_ title: String, to width: Int) -> [String] {
    guard title.count > width else { return [title] }
    // An option in a column title, such as `journal=delete`, is kept whole if possible.
    let options = pieces(of: title, after: ": ")
    return joined(options.flatMap { $0.count <= width ? [$0] : pieces(of: $0, after: "-=,/") }, width)
  }

  private static func pieces(of text: String, after breaks: String) -> [String] {
    var pieces = [""]
    for character in text {
      pieces[pieces.count - 1].append(character)
      if breaks.contains(character) { pieces.append("") }
    }
    return pieces.filter { !$0.isEmpty }
  }

  private static func joined(_ pieces: [String], _ width: Int, separator: String = "") -> [String] {
    var lines: [String] = []
    for piece in pieces {
      if let longer = lines.last.map({ $0 + separator + piece }), longer.count <= width {
        lines[lines.count - 1] = longer
      } else {
        lines.append(piece)
      }
    }
    return lines
  }
}
