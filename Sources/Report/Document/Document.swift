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

  /// Creates a document.
  public init(title: String, sections: [Section], origin: RichText? = nil, data: String? = nil) {
    self.title = title
    self.sections = sections
    self.origin = origin
    self.data = data
  }

  /// What a medium shows: the sections, each with those of its lists and tables.
  func sections(for medium: Media) -> [Section] { sections.compactMap { $0.shown(in: medium) } }

  /// All pictures, those that stand for tables among them.
  var pictures: [any Chart] { sections(for: .page).flatMap { $0.charts + $0.pictures } }
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
