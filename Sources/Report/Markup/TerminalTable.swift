/// Text in columns of the terminal: the first to the left, numbers to the right, words to the left.
///
/// Headers wrap at `-`, `:` and `=`, so that `sqlite:journal=delete` does not widen its column; a table that is still
/// too wide is set as several, one under the other.
struct TerminalTable {
  /// How a column is set.
  enum Alignment {
    case left, right
  }

  /// The headers.
  var columns: [(title: String, alignment: Alignment)]
  /// The lines; each has as many fields as there are columns.
  var rows: [[String]]
  /// Headers longer than this wrap where they may.
  var headerWidth = 10
  /// Spaces between columns.
  var gap = 2

  /// The table's lines, none longer than a width where the first column and any other fit together.
  func lines(width: Int) -> [String] {
    guard !columns.isEmpty else { return [] }
    let headers = columns.map { Self.wrapped($0.title, to: headerWidth) }
    let widths = columns.indices.map { column in
      max(headers[column].map(\.count).max() ?? 0, rows.map { $0[column].count }.max() ?? 0)
    }
    var lines: [String] = []
    var next = 1
    repeat {
      var shown = [0]
      var total = widths[0]
      while next < columns.count, shown.count == 1 || total + gap + widths[next] <= width {
        total += gap + widths[next]
        shown.append(next)
        next += 1
      }
      if !lines.isEmpty { lines.append("") }
      let height = shown.map { headers[$0].count }.max() ?? 1
      for line in 0..<height {
        // Headers stand on the table's first line, as words do on a rule.
        let fields = shown.map { column -> String in
          let missing = height - headers[column].count
          return line < missing ? "" : headers[column][line - missing]
        }
        lines.append(joined(fields, shown, widths))
      }
      for row in rows { lines.append(joined(shown.map { row[$0] }, shown, widths)) }
    } while next < columns.count
    return lines
  }

  /// The table's lines; where it is too wide, the first field of each row gets a line of its own above the others.
  func linesWithNames(width: Int) -> [String] {
    let lines = lines(width: .max)
    if (lines.map(\.count).max() ?? 0) <= width { return lines }
    var narrow = self
    narrow.columns[0].title = ""
    narrow.rows = rows.map { [""] + $0.dropFirst() }
    let figures = narrow.lines(width: width)
    // Several tables under one another have more lines than there are rows: then names would not meet their figures.
    guard figures.count == rows.count + 1 else { return self.lines(width: width) }
    return [figures[0]] + zip(rows, figures.dropFirst()).flatMap { Self.wrapped($0[0], to: width) + [$1] }
  }

  private func joined(_ fields: [String], _ shown: [Int], _ widths: [Int]) -> String {
    var line = ""
    for (field, column) in zip(fields, shown) {
      if column != shown.first { line += String(repeating: " ", count: gap) }
      let space = String(repeating: " ", count: max(0, widths[column] - field.count))
      line += columns[column].alignment == .left ? field + space : space + field
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// A title in lines, broken after the characters at which a name may be.
  static func wrapped(_ title: String, to width: Int) -> [String] {
    guard title.count > width else { return [title] }
    // Options stay whole where they can: `journal=delete` is one word to a reader.
    let options = pieces(of: title, after: ":")
    return joined(options.flatMap { $0.count <= width ? [$0] : pieces(of: $0, after: "-=,") }, width)
  }

  private static func pieces(of text: String, after breaks: String) -> [String] {
    var pieces = [""]
    for character in text {
      pieces[pieces.count - 1].append(character)
      if breaks.contains(character) { pieces.append("") }
    }
    return pieces.filter { !$0.isEmpty }
  }

  private static func joined(_ pieces: [String], _ width: Int) -> [String] {
    var lines: [String] = []
    for piece in pieces {
      if let last = lines.last, last.count + piece.count <= width {
        lines[lines.count - 1] = last + piece
      } else {
        lines.append(piece)
      }
    }
    return lines
  }

  /// Words in lines of at most a width, further lines indented.
  static func filled(_ words: [String], width: Int, indent: String = "  ") -> [String] {
    var lines: [String] = []
    for word in words {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(lines.isEmpty ? word : indent + word)
      }
    }
    return lines
  }
}
