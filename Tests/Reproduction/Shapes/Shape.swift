import StorageReport

/// Something that others have found about storage systems, and that a run of this suite should find again by itself.
///
/// To add one, add it to a file of ``Shapes`` and see that the plan `scripts/lib/reproduce.yaml` has the rows it needs.
public struct Shape: Sendable {
  /// Its name, in words joined by hyphens.
  public var name: String
  /// What is claimed, in one sentence.
  public var claim: String
  /// Who says so, with the place where to read it.
  public var source: String
  /// Looks for it in a run.
  public var look: @Sendable (Evidence) -> Reproduction

  /// Declares a shape.
  init(_ name: String, _ claim: String, source: String, look: @escaping @Sendable (Evidence) -> Reproduction) {
    self.name = name
    self.claim = claim
    self.source = source
    self.look = look
  }

  /// The shapes there are, in the order in which they are printed.
  public static let all = Shapes.saves + Shapes.syncs + Shapes.reads
}

/// What a run says of a shape.
public enum Reproduction: Sendable, Equatable {
  /// It is there; the text tells what was measured.
  case found(String)
  /// The rows are there and say something else; the text tells what was measured.
  case notFound(String)
  /// The run does not have what it takes; the text tells why.
  case notAsked(String)

  /// Found or not, with what was measured.
  static func of(_ isFound: Bool, _ text: String) -> Reproduction { isFound ? .found(text) : .notFound(text) }

  /// The words for it, and what was measured.
  public var words: (verdict: String, text: String) {
    switch self {
    case .found(let text): ("found", text)
    case .notFound(let text): ("NOT FOUND", text)
    case .notAsked(let text): ("not asked", text)
    }
  }
}

/// The shapes, by what they are about.
enum Shapes {}
