/// A sentence of a report, with emphasis and numbers, to be written as HTML, Markdown or plain text.
public struct RichText: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// A piece of a sentence in a report: a text, a number or a file name.
  public enum Piece: Sendable, Equatable {
    /// Text without emphasis.
    case plain(String)
    /// Emphasized text.
    case strong(String)
    /// Text that a reader can type or find in a file, such as a command.
    case code(String)
    /// A number of a report, with its exact value and its field of `summary.csv`.
    case figure(Figure)
    /// The name of a file in the directory of the HTML page, shown as a link.
    case file(String)

    fileprivate var text: String {
      switch self {
      case .plain(let text), .strong(let text), .code(let text), .file(let text): text
      case .figure(let figure): figure.text
      }
    }
  }

  /// The parts of the sentence in order.
  public private(set) var pieces: [Piece]

  /// Creates a sentence from its parts.
  public init(_ pieces: [Piece]) { self.pieces = pieces }

  /// Creates a sentence of plain text, without emphasis.
  public init(_ text: String) { pieces = text.isEmpty ? [] : [.plain(text)] }

  /// Creates a sentence of plain text from a string literal.
  public init(stringLiteral text: String) { self.init(text) }

  /// Creates a sentence from a string literal with interpolated values: `"\(strong: name) is \(figure) faster"`.
  public init(stringInterpolation: Interpolation) { pieces = stringInterpolation.pieces }

  /// A collector of the texts and values in an interpolated string literal.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    /// Creates an interpolation without text. The parameters, which the compiler passes, are not used.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds the literal text between two interpolated values to the sentence.
    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { pieces.append(.plain(literal)) }
    }

    /// Adds a value to the sentence, as text without emphasis.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) { appendLiteral(value.description) }

    /// Adds emphasized text to the sentence.
    public mutating func appendInterpolation(strong text: String) { pieces.append(.strong(text)) }

    /// Adds code to the sentence: text that a reader can type or find in a file, such as a command.
    public mutating func appendInterpolation(code text: String) { pieces.append(.code(text)) }

    /// Adds the name of a file to the sentence, shown as a link. The file is in the directory of the HTML page.
    public mutating func appendInterpolation(file name: String) { pieces.append(.file(name)) }

    /// Adds a number of a report, such as `917 µs`, to the sentence.
    public mutating func appendInterpolation(_ figure: Figure) { pieces.append(.figure(figure)) }

    /// Adds all parts of another sentence to this sentence, including emphasis and numbers.
    public mutating func appendInterpolation(_ words: RichText) { pieces += words.pieces }
  }

  /// The text of the sentence without emphasis.
  public var text: String { pieces.count == 1 ? pieces[0].text : pieces.map(\.text).joined() }

  var figures: [Figure] {
    pieces.compactMap { piece in if case .figure(let figure) = piece { figure } else { nil } }
  }

  /// Whether the sentence is empty.
  public var isEmpty: Bool { pieces.isEmpty }

  /// Returns a sentence with the parts of `left`, then those of `right`.
  public static func + (left: RichText, right: RichText) -> RichText { RichText(left.pieces + right.pieces) }

  static func joined(_ words: [RichText], _ separator: String) -> RichText {
    RichText(words.enumerated().flatMap { ($0 > 0 ? [.plain(separator)] : []) + $1.pieces })
  }
}

/// A number of a report, with its exact value and its source in `summary.csv`.
public struct Figure: Sendable, Equatable {
  /// The source of a number: one field of `summary.csv`, given by its row and column.
  public struct Source: Sendable, Equatable {
    /// The name of a benchmark, which selects a row of `summary.csv`: `sqlite/save-one/1000/shipped`.
    public var cell: String
    /// The name of a column of `summary.csv`, such as `p50_ns`.
    public var column: String
  }

  /// The number as readers see it: `917 µs`.
  public let text: String
  /// The exact value of the number, in nanoseconds for times and in bytes for sizes: 917,123 for `917 µs`.
  public let value: Double
  public let source: Source
  /// The source of the divisor in `summary.csv`. Nil if the number is not a quotient.
  public private(set) var divisor: Source?

  /// Whether the number is the median of several time ratios of two backends, one ratio for each round (repetition).
  public private(set) var isByRound = false

  /// The fields of `summary.csv` from which the number comes, as text: `sqlite/save-one/1000/shipped p50_ns`.
  public var origin: String { origin(within: nil) }

  func origin(within cell: String?) -> String {
    let one = source.cell == cell ? source.column : "\(source.cell) \(source.column)"
    guard let divisor else { return one }
    let other = divisor.cell == source.cell || divisor.cell == cell ? "" : divisor.cell + " "
    return "\(one) / \(other)\(divisor.column)" + (isByRound ? ", round by round" : "")
  }
}
