import StorageReport

/// Something that others have found about storage systems, and that a run of this suite should find again by itself.
///
/// To add one, add it to a file of ``Shapes`` and see that the plan `Lab/studies/lib/reproduce.yaml` has the rows it needs.
struct Shape: Sendable {
  /// Its name, in words joined by hyphens.
  var name: String
  /// What is claimed, in one sentence.
  var claim: String
  /// Who says so, with the place where to read it.
  var source: String
  /// Looks for it in a run.
  var look: @Sendable (Evidence) -> Reproduction

  /// Declares a shape.
  init(_ name: String, _ claim: String, source: String, look: @escaping @Sendable (Evidence) -> Reproduction) {
    self.name = name
    self.claim = claim
    self.source = source
    self.look = look
  }

  /// The shapes there are, in the order in which they are printed.
  static let all = Shapes.saves + Shapes.syncs + Shapes.reads
}

/// What a run says of a shape.
enum Reproduction: Sendable, Equatable {
  /// It is there; the text tells what was measured.
  case found(String)
  /// The rows are there and say something else; the text tells what was measured.
  case notFound(String)
  /// The run does not have what it takes; the text tells why.
  case notAsked(String)

  /// Found or not, with what was measured.
  static func of(_ isFound: Bool, _ text: String) -> Reproduction { isFound ? .found(text) : .notFound(text) }

  /// The words for it, and what was measured.
  var words: (verdict: String, text: String) {
    switch self {
    case .found(let text): ("found", text)
    case .notFound(let text): ("NOT FOUND", text)
    case .notAsked(let text): ("not asked", text)
    }
  }
}

/// The shapes, by what they are about.
enum Shapes {}
