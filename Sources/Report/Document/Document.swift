import StorageRunFiles

/// A text for readers, independent of format: a run's report, a comparison, advice. All readable formats are written
/// from a document, so that they agree.
public struct Document: Sendable {
  /// The title of the document.
  public var title: String
  /// The heading of a page. Nil if the title is the heading.
  public var heading: String?
  /// Facts about the run in a few words each, below the heading of a page.
  public var chips: [Chip] = []

  /// A fact about the run, and the section with more about it.
  public struct Chip: Sendable, Equatable {
    /// The fact, in a few words.
    public var text: String
    /// The id of the section that has more about the fact. Nil for none.
    public var section: String?
  }

  /// The sections, the most important first. A page shows them in this order, a terminal in reverse.
  public var sections: [Section]
  /// A sentence on the origin of the figures, at the foot of a page. Nil for none.
  public var origin: RichText?
  /// The data for the script of a page, as JSON without markup. Nil for none.
  public var data: String?
  /// The preview image for links to the document. Nil if the document gives no answer in a sentence.
  public var card: (any Chart)?

  /// Creates a document.
  public init(title: String, sections: [Section], origin: RichText? = nil, data: String? = nil) {
    self.title = title
    self.sections = sections
    self.origin = origin
    self.data = data
  }

  /// Returns the sections for a medium, each with only the lists and tables for that medium.
  func sections(for medium: Media) -> [Section] { sections.compactMap { $0.shown(in: medium) } }

  /// All charts of the document, including those of tables and the ``card``.
  var pictures: [any Chart] { sections(for: .page).flatMap { $0.charts + $0.pictures } + [card].compactMap { $0 } }
}

/// The media that show a section.
public struct Media: OptionSet, Sendable {
  public let rawValue: Int

  /// Creates a set of media from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The medium of all content: HTML, Markdown and charts.
  public static let page = Media(rawValue: 1)
  /// The terminal, which shows the content that fits on a screen after a command.
  public static let terminal = Media(rawValue: 2)
  /// Both media.
  public static let all: Media = [.page, .terminal]
}

/// The folded parts at the end of a page, each with several sections.
public enum Tab: String, Sendable, CaseIterable {
  /// The folded part with all tables, verdicts, fits and crossovers.
  case details = "Details"
  /// The folded part on the machine, its noise and what changed during the run.
  case machine = "Machine and noise"
}

/// A part of a document, in this order: heading, paragraphs, lists, charts, tables, commands, subsections, guide.
public struct Section: Sendable {
  /// A list of sentences, one below the other.
  public struct List: Sendable {
    /// The heading of the list. Nil if the section's heading is enough.
    public var title: String?
    /// The sentences of the list.
    public var items: [RichText]
    /// The media that show the list.
    public var media: Media
    /// The number of sentences that a terminal shows. Nil for all. The files of the report have the full list.
    public var terminalLimit: Int?
    /// The number of sentences that a page shows unfolded. With 0 the heading unfolds all. Nil for the usual number.
    public var pageLimit: Int?

    /// Creates a list.
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
  /// The section's heading. A terminal leaves it out, because tables and lists have separate headings.
  public var title: String
  /// The media that show the section.
  public var media = Media.all
  /// Whether the section is the report's answer, which with its first chart is on the first screen of a page.
  public var isAnswer = false
  /// The folded part of a page that contains the section. Nil if the section is outside of folded parts.
  public var tab: Tab?
  /// Whether a phone shows the section unfolded.
  public var isOpenOnPhones = false
  /// The section's content in one sentence, where space is short. Nil if there is no such sentence.
  public var headline: String?
  /// Paragraphs at the top of the section.
  public var lead: [RichText] = []
  /// Lists below the paragraphs.
  public var lists: [List] = []
  /// Charts of the section.
  public var charts: [any Chart] = []
  /// The short names of ``charts`` if a page shows one at a time and a reader switches between them; otherwise empty.
  public var switchNames: [String] = []
  /// Charts that repeat the section's tables, for formats with charts only.
  public var pictures: [any Chart] = []
  /// Tables of the section.
  public var tables: [Table] = []
  /// Commands for the reader to type.
  public var code: [String] = []
  /// Subsections of the section.
  public var sections: [Section] = []
  /// The reading guide: the meaning of columns and marks. A terminal leaves it out.
  public var guide: [RichText] = []

  /// Creates a section without content.
  public init(id: String, title: String, media: Media = .all) {
    self.id = id
    self.title = title
    self.media = media
  }

  /// Returns the part of the section for a medium. Nil if the medium does not show the section.
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
  /// The document with a definition of every ``Term`` that it uses. A term is defined once in each section, since
  /// readers jump to sections. The definition is at the top if the section's sentences use the term. Otherwise it is
  /// below the first table that uses the term, preferably an unfolded table. In the answer, where tables come first,
  /// all definitions are below tables. The term for the cells of a run is defined only once in the document.
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
  /// The texts of a table's headers, fields and footer, each once, as the fields of a long table repeat few texts.
  fileprivate var texts: Set<String> {
    Set(rows.joined().lazy.map(\.words.text)).union(columns.map(\.title) + footer.map(\.text))
  }
}
