import StorageContract

/// A table of a section. Every line has as many fields as there are columns, and no field is blank.
public struct Table: Sendable {
  /// What a column holds.
  public struct Column: Sendable, Equatable {
    /// The header.
    public var title: String
    /// Whether it is set to the right.
    public var isNumber: Bool
    /// Whether a terminal that is too narrow may leave it out.
    public var isOptional = false

    /// A column of words.
    public static func words(_ title: String) -> Column { Column(title: title, isNumber: false) }
    /// A column of numbers.
    public static func number(_ title: String, isOptional: Bool = false) -> Column {
      Column(title: title, isNumber: true, isOptional: isOptional)
    }
  }

  /// A field.
  public struct Field: Sendable, Equatable {
    /// What a field is, beyond its words.
    public enum Kind: Sendable, Equatable {
      /// A value.
      case value
      /// The fastest of the line, or one that was not shown to be slower.
      case best
      /// `FAILED`.
      case failed
      /// `n/a`, `skipped`, `-`: no value.
      case absent
    }

    /// What stands in it.
    public var words: RichText
    /// See ``Kind``.
    public var kind: Kind
    /// How much worse than the line's best, for the shade of a heat table: 1 is the best, 10 ten times as much.
    public var ratio: Double?
    /// What is shown while a pointer rests on it; nil for nothing more.
    public var hover: String?

    /// Creates a field.
    public init(_ words: RichText, kind: Kind = .value, ratio: Double? = nil, hover: String? = nil) {
      self.words = words
      self.kind = kind
      self.ratio = ratio
      self.hover = hover
    }

    /// A field of a figure, or of the mark for what was not measured.
    init(_ figure: Figure?) {
      if let figure { self.init("\(figure)") } else { self = .unmeasured }
    }

    /// A field of a text, or of the mark for what was not measured where it is empty.
    init(text: String) {
      if text.isEmpty { self = .unmeasured } else { self.init(RichText(text)) }
    }

    /// What was not measured, or is no part of the plan.
    static let unmeasured = Field("-", kind: .absent)
  }

  /// What it shows, in a few words: the caption, and what unfolds it.
  public var title: String
  /// The columns; the first names the line.
  public var columns: [Column]
  /// The lines.
  public var rows: [[Field]]
  /// Whether it is folded until asked for.
  public var isFolded = false
  /// Sentences below.
  public var footer: [RichText] = []
  /// Where it is shown.
  public var media = Media.all

  /// Creates a table.
  public init(
    _ title: String, _ columns: [Column], _ rows: [[Field]], isFolded: Bool = false, footer: [RichText] = [],
    media: Media = .all
  ) {
    self.title = title
    self.columns = columns
    self.rows = rows
    self.isFolded = isFolded
    self.footer = footer
    self.media = media
  }
}
