/// A sentence of a report with its emphasis and figures, before any format's own marks.
public struct RichText: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// A part of a sentence.
  public enum Piece: Sendable, Equatable {
    /// As it is.
    case plain(String)
    /// What the eye should find.
    case strong(String)
    /// What is typed or stands in a file.
    case code(String)
    /// A number of the run.
    case figure(Figure)
    /// A file beside the page.
    case file(String)

    /// Without emphasis.
    fileprivate var text: String {
      switch self {
      case .plain(let text), .strong(let text), .code(let text), .file(let text): text
      case .figure(let figure): figure.text
      }
    }
  }

  /// The parts in their order.
  public private(set) var pieces: [Piece]

  /// Creates a sentence from its parts.
  public init(_ pieces: [Piece]) { self.pieces = pieces }

  /// Creates a sentence without emphasis.
  public init(_ text: String) { pieces = text.isEmpty ? [] : [.plain(text)] }

  /// Creates a sentence without emphasis.
  public init(stringLiteral text: String) { self.init(text) }

  /// Creates a sentence from a literal with emphasis: `"\(strong: name) is \(figure) faster"`.
  public init(stringInterpolation: Interpolation) { pieces = stringInterpolation.pieces }

  /// Collects the parts of a literal.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    /// Prepares for a literal.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Takes the text between two interpolations.
    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { pieces.append(.plain(literal)) }
    }

    /// Takes a value without emphasis.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      appendLiteral(value.description)
    }

    /// Takes a text that the eye should find.
    public mutating func appendInterpolation(strong text: String) { pieces.append(.strong(text)) }

    /// Takes what is typed or stands in a file.
    public mutating func appendInterpolation(code text: String) { pieces.append(.code(text)) }

    /// Takes the name of a file beside the page.
    public mutating func appendInterpolation(file name: String) { pieces.append(.file(name)) }

    /// Takes a number of the run.
    public mutating func appendInterpolation(_ figure: Figure) { pieces.append(.figure(figure)) }

    /// Takes over another sentence.
    public mutating func appendInterpolation(_ words: RichText) { pieces += words.pieces }
  }

  /// The sentence without emphasis.
  public var text: String {
    pieces.count == 1 ? pieces[0].text : pieces.map(\.text).joined()
  }

  /// The numbers of the run in it.
  var figures: [Figure] {
    pieces.compactMap { piece in if case .figure(let figure) = piece { figure } else { nil } }
  }

  /// Whether nothing is said.
  public var isEmpty: Bool { pieces.isEmpty }

  /// Two sentences in one.
  public static func + (left: RichText, right: RichText) -> RichText { RichText(left.pieces + right.pieces) }

  /// Sentences in a row.
  static func joined(_ words: [RichText], _ separator: String) -> RichText {
    RichText(words.enumerated().flatMap { ($0 > 0 ? [.plain(separator)] : []) + $1.pieces })
  }
}

/// A number of the run as it is shown, with its exact value and where in `summary.csv` it comes from, so that a page
/// can be copied from, and checked.
public struct Figure: Sendable, Equatable {
  /// A field of `summary.csv`.
  public struct Source: Sendable, Equatable {
    /// The cell's name.
    public var cell: String
    /// The column's name.
    public var column: String
  }

  /// As people read it: `917 us`.
  public let text: String
  /// The exact value, in the unit of the column.
  public let value: Double
  /// Where it comes from.
  public let source: Source
  /// What it is divided by, for a count per operation or a ratio; nil for a field as it is.
  public let divisor: Source?

  /// Whether it is divided round by round, and the median of that is what is shown.
  public let isByRound: Bool

  /// Creates a figure.
  init(_ text: String, _ value: Double, of source: Source, by divisor: Source? = nil, isByRound: Bool = false) {
    self.isByRound = isByRound
    self.text = text
    self.value = value
    self.source = source
    self.divisor = divisor
  }

  /// `sqlite/save-one/100/shipped bytes_written_settled / counted_operations`: the source in words.
  public var origin: String { origin(within: nil) }

  /// The same where the cell is known: `bytes_written_settled / counted_operations`.
  func origin(within cell: String?) -> String {
    let one = source.cell == cell ? source.column : "\(source.cell) \(source.column)"
    guard let divisor else { return one }
    let other = divisor.cell == source.cell || divisor.cell == cell ? "" : divisor.cell + " "
    return "\(one) / \(other)\(divisor.column)" + (isByRound ? ", round by round" : "")
  }
}
