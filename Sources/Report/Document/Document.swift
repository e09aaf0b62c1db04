import StorageRunFiles

/// What is to be read, before any format's own marks: a run's report, a comparison, advice. Every format that people
/// read is written from one, so that all say the same.
public struct Document: Sendable {
  /// The heading of it all.
  public var title: String
  /// The parts, the most important first. A page shows them in this order, a terminal the other way round.
  public var sections: [Section]
  /// What is said at the foot of a page, where its figures come from; nil for nothing.
  public var origin: RichText?
  /// What a page's script lets the reader choose from, as JSON without markup; nil for nothing.
  public var data: String?
  /// The picture that stands for all of it where a link to it is shown; nil where there is nothing to say in a sentence.
  public var card: (any Chart)?

  /// Creates a document.
  public init(title: String, sections: [Section], origin: RichText? = nil, data: String? = nil) {
    self.title = title
    self.sections = sections
    self.origin = origin
    self.data = data
  }

  /// What a medium shows: the sections, each with those of its lists and tables.
  func sections(for medium: Media) -> [Section] { sections.compactMap { $0.shown(in: medium) } }

  /// All pictures, those that stand for tables and the ``card`` among them.
  var pictures: [any Chart] { sections(for: .page).flatMap { $0.charts + $0.pictures } + [card].compactMap { $0 } }
}

/// Where a section is shown.
public struct Media: OptionSet, Sendable {
  public let rawValue: Int

  /// Creates a set of media from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// HTML, Markdown and pictures: as much as there is to say.
  public static let page = Media(rawValue: 1)
  /// The screen after a command: what fits.
  public static let terminal = Media(rawValue: 2)
  /// Both.
  public static let all: Media = [.page, .terminal]
}

/// One part of a document: a heading, then words, lists, pictures, tables, commands, parts of its own, and how to read
/// it, in that order.
public struct Section: Sendable {
  /// Sentences one below the other.
  public struct List: Sendable {
    /// Its heading; nil where the section's is enough.
    public var title: String?
    /// The sentences.
    public var items: [RichText]
    /// Where it is shown.
    public var media: Media
    /// How many of the sentences a terminal shows, of a list that is in full in the report's files; nil for all.
    public var terminalLimit: Int?

    /// Creates a list.
    public init(_ title: String? = nil, _ items: [RichText], media: Media = .all, terminalLimit: Int? = nil) {
      self.title = title
      self.items = items
      self.media = media
      self.terminalLimit = terminalLimit
    }
  }

  /// Its name in links and file names.
  public var id: String
  /// Its heading. A terminal shows none: there tables and lists have headings of their own.
  public var title: String
  /// Where it is shown.
  public var media = Media.all
  /// Whether it is the answer, which the first screen of a page holds with its first picture.
  public var isAnswer = false
  /// Whether a phone shows it unfolded.
  public var isOpenOnPhones = false
  /// All of it in one sentence, for places with room for no more; nil where there is none.
  public var headline: String?
  /// Paragraphs at the top.
  public var lead: [RichText] = []
  /// Lists below them.
  public var lists: [List] = []
  /// Pictures.
  public var charts: [any Chart] = []
  /// Pictures of what the page shows as tables, for places that show pictures only.
  public var pictures: [any Chart] = []
  /// Tables.
  public var tables: [Table] = []
  /// Lines to be typed.
  public var code: [String] = []
  /// Parts of its own.
  public var sections: [Section] = []
  /// How to read it: what columns and marks mean. A terminal leaves it out.
  public var guide: [RichText] = []

  /// Creates a section without content.
  public init(id: String, title: String, media: Media = .all) {
    self.id = id
    self.title = title
    self.media = media
  }

  /// What a medium shows of it; nil where it shows nothing.
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
  /// The document with a definition of every ``Term`` that it uses. A mark is defined once in each section, since readers
  /// jump to one: at its top where its sentences use it, else below the first table that does, an open one if there is
  /// one. In the answer, where tables come first, all stands there. The word for what a run is made of, which nobody has
  /// to look up twice, is defined once.
  var explained: Document {
    var document = self
    let others = Term.allCases.filter { $0 != .cell }
    document.sections = sections.map { $0.explained(others).section }
    for place in sections.indices {
      let (section, used) = sections[place].explained(Term.allCases)
      guard used.contains(.cell) else { continue }
      document.sections[place] = section
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
      for place in order {
        let texts = tables[place].texts
        section.tables[place].footer += new { term in texts.contains(where: term.isUsed) }
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
  /// What headers, fields and sentences below say. Each text once: most columns of a long table have few.
  fileprivate var texts: Set<String> {
    Set(rows.joined().lazy.map(\.words.text)).union(columns.map(\.title) + footer.map(\.text))
  }
}
