import Foundation

/// One paragraph that people read: in a comment, a document, a text of the program or the name of a test.
struct Prose: Equatable {
  enum Kind: Equatable {
    /// The first paragraph of a comment.
    case opening
    /// A further paragraph of a comment, or one of a document.
    case paragraph
    /// A text within quotation marks.
    case literal
    /// A test's name, split into words.
    case testName
  }

  /// The path from the root of the package.
  let path: String
  /// The number of its first line, from 1.
  let line: Int
  let kind: Kind
  let text: String
}

// MARK: Extracting

extension Prose {
  /// Returns the paragraphs of a file.
  ///
  /// In Markdown these are paragraphs, list items and table cells. In other files they are the comments. Swift files
  /// below `Sources` add the texts within quotation marks, and those below `Tests` the names of tests.
  static func all(in text: String, path: String) -> [Prose] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if path.hasSuffix(".md") { return document(lines, path: path) }
    var found = comments(lines, path: path)
    guard path.hasSuffix(".swift") else { return found }
    if path.hasPrefix("Sources/") { found += literals(lines, path: path) }
    if path.hasPrefix("Tests/") { found += testNames(lines, path: path) }
    return found
  }

  private static func document(_ lines: [Substring], path: String) -> [Prose] {
    var found: [Prose] = []
    var (paragraph, start, isFenced): ([Substring], Int, Bool) = ([], 0, false)
    func end() {
      if !paragraph.isEmpty {
        found.append(Prose(path: path, line: start, kind: .paragraph, text: paragraph.joined(separator: " ")))
      }
      paragraph = []
    }
    for (index, line) in lines.enumerated() {
      let trimmed = line.drop { $0 == " " }
      if trimmed.hasPrefix("```") { isFenced.toggle() }
      let isBreak = trimmed.isEmpty || trimmed.hasPrefix("```") || trimmed.hasPrefix("#")
      if isFenced || isBreak || trimmed.hasPrefix("- ") || trimmed.hasPrefix("|") { end() }
      if isFenced || isBreak { continue }
      if trimmed.hasPrefix("|") {
        found += trimmed.split(separator: "|").map {
          Prose(path: path, line: index + 1, kind: .paragraph, text: String($0))
        }
        continue
      }
      if paragraph.isEmpty { start = index + 1 }
      paragraph.append(trimmed)
    }
    end()
    return found
  }

  /// Returns groups of comment lines, split at blank ones, without code, which is indented by four spaces or fenced.
  private static func comments(_ lines: [Substring], path: String) -> [Prose] {
    // In C a `#` begins a directive.
    let isC = path.hasSuffix(".c") || path.hasSuffix(".h")
    let isSwift = path.hasSuffix(".swift") || path.hasSuffix(".js")
    let marks = isSwift ? ["///", "//"] : isC ? ["//", "*"] : ["//", "#", "*"]
    var found: [Prose] = []
    var (paragraph, start, isOpening, isFenced): ([Substring], Int, Bool, Bool) = ([], 0, true, false)
    func end() {
      if !paragraph.isEmpty {
        let text = paragraph.joined(separator: " ")
        found.append(Prose(path: path, line: start, kind: isOpening ? .opening : .paragraph, text: text))
        isOpening = false
      }
      paragraph = []
    }
    for (index, line) in lines.enumerated() {
      let trimmed = line.drop { $0 == " " }
      guard let mark = marks.first(where: { trimmed.hasPrefix($0) }), !trimmed.hasPrefix("#!") else {
        end()
        (isOpening, isFenced) = (true, false)
        continue
      }
      let text = trimmed.dropFirst(mark.count)
      let words = text.drop { $0 == " " }
      if words.hasPrefix("```") { isFenced.toggle() }
      let isCode =
        isFenced || text.hasPrefix("     ") || words.hasPrefix("```") || words.hasPrefix("|") || words.hasPrefix("#")
      if words.isEmpty || isCode || words.hasPrefix("- ") { end() }
      if words.isEmpty || isCode { continue }
      if paragraph.isEmpty { start = index + 1 }
      paragraph.append(words)
    }
    end()
    return found
  }

  private static func literals(_ lines: [Substring], path: String) -> [Prose] {
    var isBlock = false
    return lines.enumerated().flatMap { index, line -> [Prose] in
      let isComment = line.drop { $0 == " " }.hasPrefix("//")
      if line.contains("\"\"\"") { isBlock.toggle() }
      if !isBlock && (isComment || !line.contains("\"")) { return [] }
      return (isBlock ? [String(line)] : quoted(line)).map {
        Prose(path: path, line: index + 1, kind: .literal, text: $0)
      }
    }
  }

  /// Returns the texts within quotation marks of one line, without interpolated code.
  private static func quoted(_ line: Substring) -> [String] {
    var found: [String] = []
    var text = ""
    // The open parentheses of interpolated code; nil outside of a text.
    var depth: Int?
    var isEscaped = false
    for character in line {
      switch (depth, character) {
      case (nil, "\""): depth = 0
      case (nil, _): break
      case (0, "(") where isEscaped: depth = 1
      case (0, "\"") where !isEscaped:
        found.append(text)
        (text, depth) = ("", nil)
      case (0, _): if character != "\\" { text.append(character) }
      case (let open?, "("): depth = open + 1
      case (let open?, ")"): depth = open - 1
      default: break
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return found
  }

  private static func testNames(_ lines: [Substring], path: String) -> [Prose] {
    lines.enumerated().compactMap { index, line -> Prose? in
      guard line.contains("@Test"), let name = line.firstMatch(of: /func (`[^`]+`|\w+)/)?.1 else { return nil }
      let words = name.replacing(/[A-Z]/) { " " + $0.output.lowercased() }
      return Prose(path: path, line: index + 1, kind: .testName, text: String(words))
    }
  }
}

// MARK: Judging

extension Prose {
  /// Words at the start of a comment that make the reader wait for the noun.
  private static let clauses: Set<Substring> = [
    "What", "Who", "Whoever", "Whom", "Whose", "Where", "Wherever", "How", "Which",
  ]

  /// The maximum number of words in a sentence.
  static let longestSentence = 45

  /// Words and phrases that a reader would not search for, with the words to use instead.
  static let phrases: [(not: String, but: String)] = [
    // Words that make the reader wait for the noun.
    ("whoever", "the reader, the process"), ("whomever", "the reader"), ("wherever", "where"),
    ("nobody", "no one, not"),
    ("whatever", "everything that"), ("is told", "is reported"), ("are told", "are reported"), ("is said", "is stated"),
    ("are said", "are stated"), ("so that none", "so that no ... is"), ("that there is", "a name for it"),
    ("what there is", "a name for it"), ("it is not known", "unknown"), ("does not know of", "ignores"),
    ("no word", "nothing"), ("as they are", "unchanged"), ("of its own", "separate, its own"),
    // Metaphors.
    ("lookalike", "work-alike"), ("lookalikes", "work-alikes"), ("fate", "result"), ("stake", "risk"),
    ("at hand", "available"),
    ("lets go of", "releases"), ("in its turn", "then"), ("the way in", "the start"), ("takes in what", "reads what"),
    ("takes away what", "removes what"), ("patience", "budget"), ("lends", "passes"), ("lent", "borrowed"),
    ("dear", "slow"), ("dearer", "slower"), ("the mend", "the fix"), ("mended", "fixed"), ("foretold", "predicted"),
    ("told apart", "distinguished"), ("tell apart", "distinguish"), ("by the law", "interpolated"),
    ("by the laws", "extrapolated"), ("what it is good for", "its purpose"),
    // Labels that were sentences.
    ("promises more", "is safer"), ("promises less", "is less safe"), ("promises as", "is as safe as"),
    ("which is no native engine", "unranked"), ("each backend says of itself", "known limitations"),
    ("a whole file loses to pages", "becomes slower than a database"), ("last save may go", "may lose the last save"),
    ("slope of the bytes", "10 times the records cost"), ("opening the store is in it", "including opening the store"),
    ("by how much the fastest lead", "the leaders' margin"), ("where nobody cares", "treated as equal"),
    ("with more counted", "regressed"), ("with fewer counted", "improved"),
    ("hold this build against", "compare this build with"), ("what this machine can tell", "detectable here"),
    ("until when the first screen", "maximum time from launch to first screen"),
    ("whom the choices favour", "known biases"),
    ("where waiting is no use", "where runs take too long"), ("somebody has to choose", "a question"),
  ]

  /// The phrases by their first word.
  private static let phrasesByFirstWord = Dictionary(
    grouping: phrases.map { (words: words($0.not), phrase: $0) }, by: { $0.words[0] })

  /// Lower-case words without punctuation.
  private static func words(_ text: String) -> [Substring] {
    text.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "'") }
  }

  /// One sentence for each fault: a comment that begins with a clause, a phrase to replace, a sentence too long.
  var faults: [String] {
    var faults: [String] = []
    let parts = text.split(separator: " ")
    if kind == .opening, Self.clauses.contains(parts[0]), parts.prefix(2) != ["How", "to"] {
      faults.append("begins with '\(parts[0])'; begin with a noun or a verb")
    }
    let words = Self.words(text)
    for (index, word) in words.enumerated() {
      for (phrase, pair) in Self.phrasesByFirstWord[word] ?? [] where words[index...].starts(with: phrase) {
        faults.append("says '\(pair.not)'; say '\(pair.but)'")
      }
    }
    let sentences = parts.split { $0.last.map(".!?:".contains) == true }
    for sentence in sentences where kind != .testName && sentence.count >= Self.longestSentence {
      let start = sentence.prefix(6).joined(separator: " ")
      faults.append("has a sentence of more than \(Self.longestSentence) words, '\(start) ...'")
    }
    return faults
  }
}
