import StorageContract
import StorageRunFiles

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

    /// Takes a number of the run.
    public mutating func appendInterpolation(_ figure: Figure) { pieces.append(.figure(figure)) }

    /// Takes over another sentence.
    public mutating func appendInterpolation(_ words: RichText) { pieces += words.pieces }
  }

  /// The sentence without emphasis.
  public var text: String {
    pieces.map { piece in
      switch piece {
      case .plain(let text), .strong(let text), .code(let text): text
      case .figure(let figure): figure.text
      }
    }.joined()
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

  /// Creates a figure.
  init(_ text: String, _ value: Double, of source: Source, by divisor: Source? = nil) {
    self.text = text
    self.value = value
    self.source = source
    self.divisor = divisor
  }

  /// `sqlite/save-one/100/shipped bytes_written_settled / counted_operations`: the source in words.
  public var origin: String {
    guard let divisor else { return "\(source.cell) \(source.column)" }
    let other = divisor.cell == source.cell ? "" : divisor.cell + " "
    return "\(source.cell) \(source.column) / \(other)\(divisor.column)"
  }
}

extension Figure {
  /// The median of a row, or what stands for it; nil where it was not timed.
  static func time(_ row: SummaryRow) -> Figure? {
    guard let time = row.typicalTime else { return nil }
    return Figure(NumberFormat.time(time), time, of: timeSource(row))
  }

  /// Where ``SummaryRow/typicalTime`` comes from: operations that were only timed in batches have a rate, of which
  /// it is the inverse.
  private static func timeSource(_ row: SummaryRow) -> Source {
    Source(cell: row.cell.name, column: row.p50 == nil ? "ops_per_s" : "p50_ns")
  }

  /// One of a row's times in nanoseconds, by its column.
  static func time(_ value: Double?, _ column: String, of row: SummaryRow) -> Figure? {
    value.map { Figure(NumberFormat.time($0), $0, of: Source(cell: row.cell.name, column: column)) }
  }

  /// By which factor a row is slower than another.
  static func ratio(_ row: SummaryRow, to best: SummaryRow) -> Figure? {
    guard let time = row.typicalTime, let least = best.typicalTime, least > 0 else { return nil }
    return Figure(
      NumberFormat.ratio(time / least), time / least, of: timeSource(row), by: timeSource(best))
  }

  /// A count of the cost pass per operation.
  static func count(
    _ row: SummaryRow, _ path: KeyPath<Cost, Int?>, _ column: String, _ unit: (Double) -> String
  ) -> Figure? {
    row.perOperation(path).map {
      Figure(
        unit($0), $0, of: Source(cell: row.cell.name, column: column),
        by: Source(cell: row.cell.name, column: "counted_operations"))
    }
  }

  /// A size in bytes of the cost pass.
  static func bytes(_ row: SummaryRow, _ path: KeyPath<Cost, Int?>, _ column: String) -> Figure? {
    row.cost?[keyPath: path].map {
      Figure(NumberFormat.bytes(Double($0)), Double($0), of: Source(cell: row.cell.name, column: column))
    }
  }

  /// One count of a row by another.
  static func quotient(_ row: SummaryRow, _ value: Double?, _ column: String, by divisor: String) -> Figure? {
    value.map {
      Figure(
        NumberFormat.ratio($0), $0, of: Source(cell: row.cell.name, column: column),
        by: Source(cell: row.cell.name, column: divisor))
    }
  }
}
