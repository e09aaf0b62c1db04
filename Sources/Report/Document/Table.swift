import StorageContract

/// A table in a section of a report. Every row has one field for each column, and no field is empty.
public struct Table: Sendable {
  /// A column of a table in a report, with its header and alignment.
  public struct Column: Sendable, Equatable {
    /// The header of the column.
    public var title: String
    /// Whether the column is aligned to the right, as numbers are.
    public var isNumber: Bool
    /// Whether the column is omitted if the terminal is too narrow for the table.
    public var isOptional = false

    /// Returns a column of text, which is aligned to the left.
    public static func words(_ title: String) -> Column { Column(title: title, isNumber: false) }
    /// Returns a column of numbers, which is aligned to the right.
    public static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
  }

  /// A field of a table: a text with its colour and tooltip.
  public struct Field: Sendable, Equatable {
    /// The kind of a table field, which determines its emphasis or colour.
    public enum Kind: String, Sendable {
      /// An ordinary table field without emphasis, such as a measured time or a name.
      case value
      /// A table field in bold, such as the fastest value of its row.
      case best
      /// A table field in red, such as `FAILED` or `SLOWER`.
      case failed
      /// A table field for a missing value, such as `n/a`, `skipped` or `-`.
      case absent
    }

    /// The text of the table field.
    public var words: RichText
    /// The kind of the table field, which determines its emphasis or colour.
    public var kind: Kind
    /// The value divided by the best value of its table row, such as 3.1. The larger the ratio, the stronger the
    /// colour. Nil for no colour.
    public var ratio: Double?
    /// The tooltip of the field, or nil.
    public var hover: String?

    /// Creates a table field. `ratio` is the factor by which the value exceeds the best value of its row.
    public init(_ words: RichText, kind: Kind = .value, ratio: Double? = nil, hover: String? = nil) {
      self.words = words
      self.kind = kind
      self.ratio = ratio
      self.hover = hover
    }

    /// The field with the text `-`, for a value that was not measured or not planned.
    static let unmeasured = Field("-", kind: .absent)
  }

  /// The caption of the table. A click on the caption opens a collapsed table.
  public var title: String
  /// The columns of the table. The first column has the names of the rows.
  public var columns: [Column]
  /// The rows of the table. Each row has one field for each column.
  public var rows: [[Field]]
  /// Whether an HTML page shows the table collapsed at first.
  public var isFolded = false
  /// The sentences below the table.
  public var footer: [RichText] = []
  /// The media (pages, terminal or both) that show the table.
  public var media = Media.all

  /// Creates a table. Each row has one field for each column.
  public init(_ title: String, _ columns: [Column], _ rows: [[Field]], footer: [RichText] = []) {
    self.title = title
    self.columns = columns
    self.rows = rows
    self.footer = footer
  }
}

/// A value that a table shows as a field, such as a text or a number of a report.
protocol FieldContent {
  var field: Table.Field { get }
}

extension Table.Field: FieldContent {
  var field: Table.Field { self }
}

extension String: FieldContent {
  var field: Table.Field { isEmpty ? .unmeasured : .init(RichText(self)) }
}

extension RichText: FieldContent {
  var field: Table.Field { .init(self) }
}

extension Figure: FieldContent {
  var field: Table.Field { .init("\(self)") }
}

extension Optional: FieldContent where Wrapped: FieldContent {
  var field: Table.Field { map(\.field) ?? .unmeasured }
}

/// A column of a table in which each row shows an item, such as a benchmark result.
struct ItemColumn<Item> {
  let column: Table.Column
  /// The function that returns the column's field in the row of an item.
  let field: (Item) -> Table.Field

  static func words(
    _ title: String, isOptional: Bool = false, _ content: @escaping (Item) -> some FieldContent
  ) -> Self {
    Self(column: .init(title: title, isNumber: false, isOptional: isOptional)) { content($0).field }
  }

  static func number(
    _ title: String, isOptional: Bool = false, _ content: @escaping (Item) -> some FieldContent
  ) -> Self {
    Self(column: .init(title: title, isNumber: true, isOptional: isOptional)) { content($0).field }
  }

  /// Adapts `column`, which shows a value of the type `Part`, to items that contain such a value at the key path
  /// `part`.
  static func of<Part>(_ part: KeyPath<Item, Part>, _ column: ItemColumn<Part>) -> Self {
    Self(column: column.column) { column.field($0[keyPath: part]) }
  }
}

extension Table {
  /// Creates a table with a row for each item.
  init<Item>(
    _ title: String, of items: [Item], _ columns: [ItemColumn<Item>], isFolded: Bool = false, footer: [RichText] = [],
    media: Media = .all
  ) {
    self.init(title, columns.map(\.column), items.map { item in columns.map { $0.field(item) } }, footer: footer)
    (self.isFolded, self.media) = (isFolded, media)
  }
}
