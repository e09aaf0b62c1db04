import StorageContract

/// A table of a section. Every row has as many fields as there are columns, and no field is blank.
public struct Table: Sendable {
  /// A column of a table.
  public struct Column: Sendable, Equatable {
    /// The header of the column.
    public var title: String
    /// Whether the column is aligned to the right, as numbers are.
    public var isNumber: Bool
    /// Whether a terminal that is too narrow may leave the column out.
    public var isOptional = false

    /// Returns a column of text.
    public static func words(_ title: String) -> Column { Column(title: title, isNumber: false) }
    /// Returns a column of numbers.
    public static func number(_ title: String, isOptional: Bool = false) -> Column {
      Column(title: title, isNumber: true, isOptional: isOptional)
    }
  }

  /// A field of a table.
  public struct Field: Sendable, Equatable {
    /// The kind of a field.
    public enum Kind: Sendable, Equatable {
      /// A measured value or a text.
      case value
      /// The fastest of the row, or a value that was not shown to be slower.
      case best
      /// A failed cell of the benchmark matrix, shown as `FAILED`.
      case failed
      /// A missing value: `n/a`, `skipped`, `-`.
      case absent
    }

    /// The text of the field.
    public var words: RichText
    /// The kind of the field.
    public var kind: Kind
    /// The factor to the best of the row, for the shade of a heat table: 1 is the best, 10 ten times as much.
    public var ratio: Double?
    /// The tooltip of the field. Nil for none.
    public var hover: String?

    /// Creates a field of a table.
    public init(_ words: RichText, kind: Kind = .value, ratio: Double? = nil, hover: String? = nil) {
      self.words = words
      self.kind = kind
      self.ratio = ratio
      self.hover = hover
    }

    /// Creates a field that shows a figure, or the mark `-` for nil.
    init(_ figure: Figure?) {
      if let figure { self.init("\(figure)") } else { self = .unmeasured }
    }

    /// Creates a field that shows a text, or the mark `-` if the text is empty.
    init(text: String) {
      if text.isEmpty { self = .unmeasured } else { self.init(RichText(text)) }
    }

    /// The field `-` for a value that was not measured, or is not in the plan.
    static let unmeasured = Field("-", kind: .absent)
  }

  /// The caption, which is also the label that unfolds the table.
  public var title: String
  /// The columns of the table; the first names the row.
  public var columns: [Column]
  /// The rows of the table, each with one field for each column.
  public var rows: [[Field]]
  /// Whether the table is folded at first.
  public var isFolded = false
  /// The sentences below the table.
  public var footer: [RichText] = []
  /// The media that show the table.
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
