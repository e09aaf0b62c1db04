import StorageRunFiles

/// A text for readers, independent of format: a run's report, a comparison, advice. Every readable format is written
/// from one, so that all formats agree.
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
    /// The id of a section of the document. Nil for none.
    public var section: String?
  }

  /// The sections, the most important first. A page shows them in this order, a terminal in reverse.
  public var sections: [Section]
  /// The origin of the figures, at the foot of a page. Nil for none.
  public var origin: RichText?
  /// The data for the script of a page, as JSON without markup. Nil for none.
  public var data: String?
  /// The preview image for links to the document. Nil without an answer in a sentence.
  public var card: (any Chart)?

  /// Creates a document.
  public init(title: String, sections: [Section], origin: RichText? = nil, data: String? = nil) {
    self.title = title
    self.sections = sections
    self.origin = origin
    self.data = data
  }

  /// Returns the sections for a medium, each with the lists and tables that it shows.
  func sections(for medium: Media) -> [Section] { sections.compactMap { $0.shown(in: medium) } }

  /// All charts, including those of tables and the ``card``.
  var pictures: [any Chart] { sections(for: .page).flatMap { $0.charts + $0.pictures } + [card].compactMap { $0 } }
}

/// The media that show a section.
public struct Media: OptionSet, Sendable {
  public let rawValue: Int

  /// Creates a set of media from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// HTML, Markdown and charts, with all content.
  public static let page = Media(rawValue: 1)
  /// The screen after a command, with the content that fits.
  public static let terminal = Media(rawValue: 2)
  /// Both media.
  public static let all: Media = [.page, .terminal]
}

/// The folded parts of a page below those that are shown at once.
public enum Tab: String, Sendable, CaseIterable {
  /// All tables, verdicts, fits and crossovers.
  case details = "Details"
  /// The machine, its noise and what changed during the run.
  case machine = "Machine and noise"
}

/// One part of a document: a heading, then words, lists, pictures, tables, commands, subsections and a reading guide,
/// in that order.
public struct Section: Sendable {
  /// Sentences one below the other.
  public struct List: Sendable {
    /// The heading. Nil if that of the section is enough.
    public var title: String?
    /// The sentences.
    public var items: [RichText]
    /// The media that show it.
    public var media: Media
    /// The number of sentences that a terminal shows. The files of the report have the full list. Nil for all.
    public var terminalLimit: Int?
    /// The number of sentences that a page shows; the rest is folded, with 0 under the heading. Nil for the usual number.
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

  /// The identifier in links and file names.
  public var id: String
  /// The heading. A terminal leaves it out, because its tables and lists have separate headings.
  public var title: String
  /// The media that show it.
  public var media = Media.all
  /// Whether it is the answer, which with its first chart is on the first screen of a page.
  public var isAnswer = false
  /// The folded part of a page that has it. Nil if it is shown at once.
  public var tab: Tab?
  /// Whether a phone shows it unfolded.
  public var isOpenOnPhones = false
  /// A summary in one sentence, for places without space for more. Nil if there is none.
  public var headline: String?
  /// Paragraphs at the top.
  public var lead: [RichText] = []
  /// Lists below them.
  public var lists: [List] = []
  /// Charts.
  public var charts: [any Chart] = []
  /// The short names of ``charts`` if a page shows one at a time and a reader switches between them; otherwise empty.
  public var switchNames: [String] = []
  /// Charts of the page's tables, for formats with charts only.
  public var pictures: [any Chart] = []
  /// Tables.
  public var tables: [Table] = []
  /// Commands to be typed.
  public var code: [String] = []
  /// Subsections.
  public var sections: [Section] = []
  /// The reading guide: the meaning of columns and marks. A terminal leaves it out.
  public var guide: [RichText] = []

  /// Creates a section without content.
  public init(id: String, title: String, media: Media = .all) {
    self.id = id
    self.title = title
    self.media = media
  }

  /// Returns the part that a medium shows. Nil if it shows nothing.
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
  /// The document with a definition of every ``Term`` that it uses. A mark is defined once in each section, since
  /// readers jump to sections. The definition is at the top if the section's sentences use the mark. Otherwise it is
  /// below the first table that does, preferably an open one. In the answer, where tables come first, all definitions
  /// are below tables. The term for the cells of a run is defined only once in the document.
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
  /// The texts of headers, fields and sentences below. Each text is listed once, because most columns of a long table
  /// have few different ones.
  fileprivate var texts: Set<String> {
    Set(rows.joined().lazy.map(\.words.text)).union(columns.map(\.title) + footer.map(\.text))
  }
}
