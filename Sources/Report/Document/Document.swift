import StorageRunFiles

/// A text for readers, independent of file formats: the report of a run, a comparison or a recommendation. HTML,
/// Markdown and terminal output are all written from this type.
public struct Document: Sendable {
  /// The title of the document.
  public var title: String
  /// The heading of an HTML page. Nil if the title is the heading.
  public var heading: String?
  /// Facts about the run in a few words each, such as `4 cores`. They are shown below the heading of an HTML page.
  public var chips: [Chip] = []

  /// A fact about the run in a few words, with a link to a section about it.
  public struct Chip: Sendable, Equatable {
    /// The fact, in a few words.
    public var text: String
    /// The id of the section of the document that explains the fact. Nil for a fact without a link.
    public var section: String?
  }

  /// The sections, the most important first. An HTML page shows them in this order, a terminal in reverse.
  public var sections: [Section]
  /// A sentence on the source of the numbers, at the foot of an HTML page.
  public var origin: RichText?
  /// The JSON that the script of the HTML page reads, not yet escaped for HTML. Nil if the page needs no data.
  public var data: String?
  /// The preview image for links to the document's HTML page. Nil if the document has no main result in one sentence.
  public var card: (any Chart)?

  /// Creates a document from its sections, which are in the order of an HTML page.
  public init(title: String, sections: [Section], origin: RichText? = nil, data: String? = nil) {
    self.title = title
    self.sections = sections
    self.origin = origin
    self.data = data
  }

  func sections(for medium: Media) -> [Section] { sections.compactMap { $0.shown(in: medium) } }

  /// All charts of the document, each of which is written to a file. They include charts that only repeat tables and
  /// the preview image ``card``.
  var pictures: [any Chart] { sections(for: .page).flatMap { $0.charts + $0.pictures } + [card].compactMap { $0 } }
}

/// The media on which a part of a document is shown: pages, the terminal or both.
public struct Media: OptionSet, Sendable {
  public let rawValue: Int

  /// Creates a set of media from bits such as those of ``page`` and ``terminal``.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The media that show all content: HTML, Markdown and chart files.
  public static let page = Media(rawValue: 1)
  /// The terminal, which shows only the content that fits on a screen.
  public static let terminal = Media(rawValue: 2)
  /// Pages and the terminal.
  public static let all: Media = [.page, .terminal]
}

/// The two parts at the end of an HTML page that are folded (hidden until the reader opens them) at first.
public enum Tab: String, Sendable, CaseIterable {
  /// The folded part with all tables, such as those of the fastest backends and the fitted cost curves.
  case details = "Details"
  /// The folded part about the machine: the scatter of its measurements, and changes of its speed during the run.
  case machine = "Machine and noise"
}

/// A section of a document: heading, paragraphs, lists, charts, tables, commands, subsections, guide, in this order.
public struct Section: Sendable {
  /// A list of sentences, one below the other.
  public struct List: Sendable {
    /// The heading of the list. Nil if the heading of the section is enough.
    public var title: String?
    /// The sentences of the list.
    public var items: [RichText]
    /// The media (pages, terminal or both) that show the list.
    public var media: Media
    /// The number of sentences that a terminal shows of a longer list. Nil for all.
    public var terminalLimit: Int?
    /// The number of sentences that a page shows unfolded (at once). If 0, the page shows only the heading. Nil for the
    /// usual number.
    public var pageLimit: Int?

    /// Creates a list of sentences for a section. By default, pages and the terminal show all sentences.
    public init(
      _ title: String? = nil, _ items: [RichText], media: Media = .all, terminalLimit: Int? = nil, pageLimit: Int? = nil
    ) {
      self.title = title
      self.items = items
      self.media = media
      self.terminalLimit = terminalLimit
      self.pageLimit = pageLimit
    }
  }

  /// The section's identifier in links and file names.
  public var id: String
  /// The section's heading. A terminal leaves the heading out, because lists and tables have their own.
  public var title: String
  /// The media (pages, terminal or both) that show the section.
  public var media = Media.all
  /// Whether the section is the main result of the report. An HTML page shows it on the first screen, with its first
  /// chart.
  public var isAnswer = false
  /// The folded part of an HTML page that contains the section. Nil if the section is outside of the folded parts.
  public var tab: Tab?
  /// Whether a phone shows the section unfolded.
  public var isOpenOnPhones = false
  /// A summary of the section in one sentence, or nil.
  public var headline: String?
  /// Paragraphs at the top of the section.
  public var lead: [RichText] = []
  /// Lists of sentences, below the paragraphs in ``lead``.
  public var lists: [List] = []
  /// Charts that the section shows, below its lists.
  public var charts: [any Chart] = []
  /// The names of ``charts`` on buttons that select one of them. Empty if all charts are shown at once.
  public var switchNames: [String] = []
  /// Charts that show the same values as the tables of the section. ``SVGFormat`` writes them to files. HTML pages
  /// contain only the tables.
  public var pictures: [any Chart] = []
  /// Tables that the section shows, below its charts.
  public var tables: [Table] = []
  /// Commands for a reader to type in a shell.
  public var code: [String] = []
  /// Subsections, below the other content of the section.
  public var sections: [Section] = []
  /// The reading guide: sentences on the meaning of columns and symbols in the section. A terminal leaves them out.
  public var guide: [RichText] = []

  /// Creates a section without content. The content is added through the properties.
  public init(id: String, title: String, media: Media = .all) {
    self.id = id
    self.title = title
    self.media = media
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
  /// A copy of the document in which each section defines the special words and symbols (``Term``) that it uses. The
  /// word `cell` is defined only in the first section that uses it.
  var explained: Document {
    var document = self
    let others = Term.allCases.filter { $0 != .cell }
    document.sections = sections.map { $0.explained(others).section }
    for index in sections.indices {
      let (section, used) = sections[index].explained(Term.allCases)
      guard used.contains(.cell) else { continue }
      document.sections[index] = section
      break
    }
    return document
  }
}

extension Section {
  fileprivate func explained(_ terms: [Term]) -> (section: Section, used: Set<Term>) {
    var section = self
    let shown = lists.filter { $0.media.contains(.page) }
    let sentences = (lead + shown.flatMap { $0.items + [RichText($0.title ?? "")] }).map(\.text)
    var known: Set<Term> = []
    func new(_ isUsed: (Term) -> Bool) -> [RichText] {
      [Term.line(terms.filter { isUsed($0) && known.insert($0).inserted })].compactMap { $0 }
    }
    let order = tables.indices.filter { !tables[$0].isFolded } + tables.indices.filter { tables[$0].isFolded }
    func explainTables() {
      for index in order {
        let texts = tables[index].texts
        section.tables[index].footer += new { term in texts.contains(where: term.isUsed) }
      }
    }
    if isAnswer { explainTables() }
    let rest = new { term in sentences.contains(where: term.isUsed) }
    if isAnswer, let last = tables.indices.last { section.tables[last].footer += rest } else { section.lead += rest }
    explainTables()
    return (section, known)
  }
}

extension Table {
  fileprivate var texts: Set<String> {
    Set(rows.joined().lazy.map(\.words.text)).union(columns.map(\.title) + footer.map(\.text))
  }
}
