import StorageRunFiles

/// A report as text, charts and tables, from which HTML, Markdown and terminal output are written.
public struct Document: Sendable {
  /// The title of the document.
  public var title: String
  /// The heading at the top of an HTML page. If nil, the page shows the title.
  public var heading: String?
  /// Short facts below the heading of an HTML page, such as `4 cores`.
  public var chips: [Chip] = []

  /// A short fact about a benchmark run, with an optional link to a section.
  public struct Chip: Sendable, Equatable {
    /// The text of a short fact about the benchmark run, such as `4 cores`.
    public var text: String
    /// The id of the page section to which this fact is a link. Nil if the fact is not a link.
    public var section: String?
  }

  /// The sections of the document, the most important first. A terminal shows the sections in reverse order.
  public var sections: [Section]
  /// A sentence on the source of the document's numbers, at the foot of an HTML page.
  public var origin: RichText?
  /// The JSON data that the JavaScript of the HTML page reads, not escaped for HTML. Nil if the page needs no data.
  public var data: String?
  /// The preview image for links to the HTML page. Nil if the document has no recommendation.
  public var card: (any Chart)?

  /// Creates a document. The first element of `sections` is at the top of the HTML page.
  public init(title: String, sections: [Section], origin: RichText? = nil, data: String? = nil) {
    self.title = title
    self.sections = sections
    self.origin = origin
    self.data = data
  }

  func sections(for medium: Media) -> [Section] { sections.compactMap { $0.shown(in: medium) } }

  /// All charts that are written to files, including the preview image ``card``.
  var pictures: [any Chart] { sections(for: .page).flatMap { $0.charts + $0.pictures } + [card].compactMap { $0 } }
}

/// The places in which a report shows a section or a table: files (`page`), the terminal, or both.
public enum Media: Sendable {
  /// The output files of a report: HTML, Markdown and charts.
  case page
  /// The terminal, which shows only the part of a report that fits on a screen.
  case terminal
  /// All kinds of output of a report: files and the terminal.
  case all

  func contains(_ medium: Media) -> Bool { self == .all || self == medium }
}

/// One of two parts at the end of an HTML page that are collapsed until the reader opens them.
public enum Tab: String, Sendable, CaseIterable {
  /// The collapsed part of an HTML report with detailed tables.
  case details = "Details"
  /// The collapsed part of an HTML report about the machine and the noise of the measured times.
  case machine = "Machine and noise"
}

/// A section of a document, with a heading, text, charts and tables.
public struct Section: Sendable {
  /// A list of sentences, one below the other.
  public struct List: Sendable {
    /// The heading of the list of sentences. Nil for no heading.
    public var title: String?
    /// The sentences, which a report shows one below the other.
    public var items: [RichText]
    /// The kinds of output that show this list of sentences: files, the terminal or both.
    public var media = Media.all
    /// The maximum number of sentences that a terminal shows. Nil shows all.
    public var terminalLimit: Int?
    /// The maximum number of sentences that an HTML page shows before the reader unfolds the rest. With 0, only the
    /// heading is shown. Nil for the default.
    public var pageLimit: Int?
  }

  /// The section's identifier in links and file names.
  public var id: String
  /// The section's heading, which a terminal does not show.
  public var title: String
  /// The media (pages, terminal or both) that show the section.
  public var media = Media.all
  /// Whether the section has the main result of the report. An HTML page never collapses this section.
  public var isAnswer = false
  /// The collapsed part of an HTML page that contains the section. Nil outside the collapsed parts.
  public var tab: Tab?
  /// Whether the section is open at first on a phone.
  public var isOpenOnPhones = false
  /// A summary of the section in one sentence, or nil.
  public var headline: String?
  /// Paragraphs at the top of the section.
  public var lead: [RichText] = []
  /// Lists of sentences, below the paragraphs in ``lead``.
  public var lists: [List] = []
  /// Charts that the section shows, below its lists.
  public var charts: [any Chart] = []
  /// The labels of buttons that select one of the section's charts. Empty if all charts are shown at once.
  public var switchNames: [String] = []
  /// Charts of the section that are only written to SVG files, and not shown on an HTML page.
  public var pictures: [any Chart] = []
  /// Tables that the section shows, below its charts.
  public var tables: [Table] = []
  /// Shell commands that the section shows, for a reader to copy.
  public var code: [String] = []
  /// Subsections, below the other content of the section.
  public var sections: [Section] = []
  /// Explanations of the section's columns and symbols, in HTML and Markdown files only.
  public var guide: [RichText] = []

  /// Creates a section of paragraphs and tables. Other content is added through the properties.
  public init(id: String, title: String, media: Media = .all, lead: [RichText] = [], tables: [Table] = []) {
    self.id = id
    self.title = title
    self.media = media
    self.lead = lead
    self.tables = tables
  }

  fileprivate func shown(in medium: Media) -> Section? {
    guard media.contains(medium) else { return nil }
    var section = self
    section.lists.removeAll { !$0.media.contains(medium) || $0.items.isEmpty }
    section.tables.removeAll { !$0.media.contains(medium) }
    section.sections = sections.compactMap { $0.shown(in: medium) }
    return section
  }
}

extension Document {
  /// A copy of the document in which each section explains its technical terms and symbols. The term `cell` is
  /// explained only in the first section that uses the term.
  var explained: Document {
    var document = self
    var terms = Term.allCases
    for index in sections.indices { document.sections[index].explain(&terms) }
    return document
  }
}

extension Section {
  /// Adds the definitions of those of `terms` that the section uses. A term `cell` that is defined here is removed from
  /// `terms`.
  fileprivate mutating func explain(_ terms: inout [Term]) {
    let shown = lists.filter { $0.media.contains(.page) }
    let sentences = (lead + shown.flatMap { $0.items + [RichText($0.title ?? "")] }).map(\.text)
    var known: Set<Term> = []
    func new(_ isUsed: (Term) -> Bool) -> [RichText] {
      let definitions = terms.filter { isUsed($0) && known.insert($0).inserted }.map(\.definition)
      return definitions.isEmpty ? [] : [RichText.joined(definitions, "; ") + "."]
    }
    func explainTables() {
      for index in tables.indices.filter({ !tables[$0].isFolded }) + tables.indices.filter({ tables[$0].isFolded }) {
        let table = tables[index]
        let titles = table.columns.map(\.title) + table.footer.map(\.text)
        let texts = Set(table.rows.joined().lazy.map(\.words.text)).union(titles)
        tables[index].footer += new { term in texts.contains(where: term.isUsed) }
      }
    }
    if isAnswer { explainTables() }
    let rest = new { term in sentences.contains(where: term.isUsed) }
    if isAnswer, let last = tables.indices.last { tables[last].footer += rest } else { lead += rest }
    if !isAnswer { explainTables() }
    if known.contains(.cell) { terms.removeAll { $0 == .cell } }
  }
}
