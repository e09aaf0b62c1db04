import StorageContract

/// A table of a section. Every line has as many fields as there are columns, and no field is blank.
public struct Table: Sendable {
  /// A column of a table.
  public struct Column: Sendable, Equatable {
    /// The header.
    public var title: String
    /// Whether it is aligned to the right.
    public var isNumber: Bool
    /// Whether a terminal that is too narrow may leave it out.
    public var isOptional = false

    /// Returns a column of text.
    public static func words(_ title: String) -> Column { Column(title: title, isNumber: false) }
    /// Returns a column of numbers.
    public static func number(_ title: String, isOptional: Bool = false) -> Column {
      Column(title: title, isNumber: true, isOptional: isOptional)
    }
  }

  /// A field.
  public struct Field: Sendable, Equatable {
    /// The kind of a field.
    public enum Kind: Sendable, Equatable {
      /// A value.
      case value
      /// The fastest of the line, or a value that was not shown to be slower.
      case best
      /// A failed cell, `FAILED`.
      case failed
      /// A missing value: `n/a`, `skipped`, `-`.
      case absent
    }

    /// The content.
    public var words: RichText
    /// The kind, see ``Kind``.
    public var kind: Kind
    /// The factor to the best of the line, for the shade of a heat table: 1 is the best, 10 ten times as much.
    public var ratio: Double?
    /// The tooltip. Nil for none.
    public var hover: String?

    /// Creates a field.
    public init(_ words: RichText, kind: Kind = .value, ratio: Double? = nil, hover: String? = nil) {
      self.words = words
      self.kind = kind
      self.ratio = ratio
      self.hover = hover
    }

    /// Creates a field of a figure, or the mark for an unmeasured value.
    init(_ figure: Figure?) {
      if let figure { self.init("\(figure)") } else { self = .unmeasured }
    }

    /// Creates a field of a text. An empty text becomes the mark for an unmeasured value.
    init(text: String) {
      if text.isEmpty { self = .unmeasured } else { self.init(RichText(text)) }
    }

    /// The field of a value that was not measured, or is not in the plan.
    static let unmeasured = Field("-", kind: .absent)
  }

  /// The caption, which is also the label that unfolds the table.
  public var title: String
  /// The columns; the first names the line.
  public var columns: [Column]
  /// The lines.
  public var rows: [[Field]]
  /// Whether it is folded at first.
  public var isFolded = false
  /// The sentences below the table.
  public var footer: [RichText] = []
  /// The media that show it.
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
