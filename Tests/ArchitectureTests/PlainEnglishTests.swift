import Foundation
import Testing

/// Words that a reader would not search for are not used in what users see: README, documents, help texts, errors and
/// reports. Each phrase stands with what is said instead.
@Suite struct PlainEnglishTests {
  private static let phrases: [(not: String, but: String)] = [
    ("the mend", "the fix"), ("mended", "fixed"), ("told apart", "distinguished"),
    ("tell apart", "distinguish"), ("lends ", "passes"), (" lent ", "borrowed"), ("foretold", "predicted"),
    ("by the laws", "extrapolated"), ("by the law", "interpolated"), (" dear ", "slower"), ("dearer", "slower"),
    ("looked at:", "verified"), ("patience", "budget"), ("which is no native engine", "unranked"),
    ("each backend says of itself", "known limitations"),
    ("a whole file loses to pages", "becomes slower than a database"),
    ("last save may go", "may lose the last save"), ("slope of the bytes", "10 times the records cost"),
    ("opening the store is in it", "including opening the store"),
    ("by how much the fastest lead", "the leaders' margin"),
    ("where nobody cares", "treated as equal"), ("with more counted", "regressed"), ("with fewer counted", "improved"),
    ("hold this build against", "compare this build with"), ("what this machine can tell", "detectable here"),
    ("until when the first screen", "maximum time from launch to first screen"),
    ("whom the choices favour", "known biases"), ("where waiting is no use", "where runs take too long"),
    ("somebody has to choose", "choosing where your Swift app stores its data?"),
  ]

  /// What users see: documents as they are, of the sources the texts within quotation marks.
  private static func texts() throws -> [(path: String, text: String)] {
    let root = URL(fileURLWithPath: SourceTree.root)
    func files(_ folder: String, _ endings: [String]) -> [String] {
      let found = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)?.allObjects ?? []
      return found.compactMap { $0 as? String }.filter { name in endings.contains { name.hasSuffix($0) } }
        .map { "\(folder)/\($0)" }
    }
    let documents =
      ["README.md"] + files("docs", [".md"]) + files("results/example", [".md"])
      + files("Tests/Golden", [".md", ".txt"])
    let sources = files("Sources", [".swift"]).map { path in (path: path, text: (try? SourceTree.text(path)) ?? "") }
    return try documents.map { ($0, try SourceTree.text($0)) } + sources.map { ($0.path, literals($0.text)) }
  }

  /// The texts within quotation marks, comments left out.
  private static func literals(_ code: String) -> String {
    var isBlock = false
    return code.split(separator: "\n").compactMap { line -> String? in
      let isComment = line.drop { $0 == " " }.hasPrefix("//")
      if line.contains("\"\"\"") { isBlock.toggle() }
      if isBlock { return String(line) }
      guard !isComment else { return nil }
      return line.matches(of: /"((?:\\.|[^"\\])*)"/).map { String($0.1) }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  @Test func noWordsThatNobodyWouldSearchFor() throws {
    let texts = try Self.texts()
    #expect(texts.count > 300)
    for (path, text) in texts {
      // Lines of documents are broken anywhere.
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
      for phrase in Self.phrases {
        #expect(!Self.says(phrase.not.lowercased(), in: words), "\(path) says '\(phrase.not)'; say '\(phrase.but)'")
      }
    }
  }

  /// Whether a text has a phrase that begins at the start of a word: `mended` is not in `recommended`.
  private static func says(_ phrase: String, in words: String) -> Bool {
    words.contains(phrase)
      && words.ranges(of: phrase).contains { range in
        range.lowerBound == words.startIndex || !words[words.index(before: range.lowerBound)].isLetter
      }
  }

  @Test func phrasesBeginAtTheStartOfAWord() {
    #expect(Self.says("mended", in: "it was mended") && Self.says("mended", in: "mended"))
    #expect(!Self.says("mended", in: "recommended") && Self.says("mended", in: "recommended, mended"))
  }

  @Test func textsAreFoundWithinQuotationMarks() {
    let code = "let a = \"one \\\"two\\\"\" // \"three\"\n// \"four\"\nlet b = \"\"\"\n  five\n  \"\"\"\n/// mend"
    let found = Self.literals(code)
    #expect(found.contains("one") && found.contains("five"))
    #expect(!found.contains("four") && !found.contains("mend"))
  }
}
