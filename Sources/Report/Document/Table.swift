import StorageContract

/// A table of a section. Every row has as many fields as there are columns, and no field is blank.
public struct Table: Sendable {
  /// A column of a table.
  public struct Column: Sendable, Equatable {
    /// The header of the column.
    public var title: String
    /// Whether the column is aligned to the right, as numbers are.
    public var isNumber: Bool
    /// Whether a narrow terminal may leave the column out.
    public var isOptional = false

    /// Returns a column of text, which is aligned to the left.
    public static func words(_ title: String) -> Column { Column(title: title, isNumber: false) }
    /// Returns a column of numbers, which is aligned to the right.
    public static func number(_ title: String, isOptional: Bool = false) -> Column {
      Column(title: title, isNumber: true, isOptional: isOptional)
    }
  }

  /// A field of a table.
  public struct Field: Sendable, Equatable {
    /// The kind of a field, from which its emphasis or colour follows.
    public enum Kind: Sendable, Equatable {
      /// A measured value, or any text without emphasis.
      case value
      /// The fastest value of a table row, or a value that was not shown to be slower than the fastest one.
      case best
      /// The word `FAILED`, for a measurement that failed.
      case failed
      /// A word for a missing value: `n/a`, `skipped` or `-`.
      case absent
    }

    /// The text of the table field.
    public var words: RichText
    /// The kind of the table field, such as a measured value. It determines the field's emphasis or colour.
    public var kind: Kind
    /// The factor by which the value exceeds the best value of its table row. It determines the strength of the field's
    /// colour. Nil for a field without a colour.
    public var ratio: Double?
    /// The tooltip of the field, or nil.
    public var hover: String?

    /// Creates a field of a table from its text. The tooltip is `hover`, and a higher `ratio` to the best value gives a
    /// stronger colour.
    public init(_ words: RichText, kind: Kind = .value, ratio: Double? = nil, hover: String? = nil) {
      self.words = words
      self.kind = kind
      self.ratio = ratio
      self.hover = hover
    }

    init(_ figure: Figure?) {
      if let figure { self.init("\(figure)") } else { self = .unmeasured }
    }

    init(text: String) {
      if text.isEmpty { self = .unmeasured } else { self.init(RichText(text)) }
    }

    /// The field `-` for a value that was not measured or not planned.
    static let unmeasured = Field("-", kind: .absent)
  }

  /// The caption of the table. A click on the caption unfolds the table if ``isFolded``.
  public var title: String
  /// The columns of the table. The first one names the rows.
  public var columns: [Column]
  /// The rows of the table. Each row has one field for each column.
  public var rows: [[Field]]
  /// Whether an HTML page shows the table folded at first.
  public var isFolded = false
  /// The sentences below the table.
  public var footer: [RichText] = []
  /// The media (pages, terminal or both) that show the table.
  public var media = Media.all

  /// Creates a table from its caption, its columns and its rows. Each row has one field for each column.
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
