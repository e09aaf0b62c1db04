import StorageReport

/// A published result about storage systems that a run of this suite should reproduce.
///
/// To add one, add it to a file of ``Shapes`` and make sure that the plan `Lab/studies/lib/reproduce.yaml` has its
/// rows.
struct Shape: Sendable {
  /// The name: words joined by hyphens.
  var name: String
  /// The claim, in one sentence.
  var claim: String
  /// The author of the claim, with a reference.
  var source: String
  /// The check of a run for the shape. It throws ``Evidence/Missing`` if the run cannot answer.
  private let check: @Sendable (Evidence) throws -> Reproduction

  /// Declares a shape.
  init(_ name: String, _ claim: String, source: String, check: @escaping @Sendable (Evidence) throws -> Reproduction) {
    (self.name, self.claim, self.source, self.check) = (name, claim, source, check)
  }

  /// Returns the result of the check, or the reason that the run cannot answer. A failed row counts as not found, so
  /// that no shape passes because its figures are missing.
  func look(_ evidence: Evidence) -> Reproduction {
    do { return try check(evidence) } catch let missing as Evidence.Missing {
      return missing.isFailure ? .notFound(missing.reason) : .notAsked(missing.reason)
    } catch { return .notAsked("\(error)") }
  }

  /// All shapes, in the order in which they are printed.
  static let all = Shapes.saves + Shapes.syncs + Shapes.reads
}

/// The result of checking a run for a shape.
enum Reproduction: Sendable, Equatable {
  /// The run shows the shape. The text has the measured figures.
  case found(String)
  /// The run has the rows, but they contradict the shape. The text has the measured figures.
  case notFound(String)
  /// The run does not have the required rows. The text has the reason.
  case notAsked(String)

  /// Returns whether the shape was found, with the measured figures.
  static func of(_ isFound: Bool, _ text: String) -> Reproduction { isFound ? .found(text) : .notFound(text) }

  /// The texts of the verdict and of the measured figures.
  var words: (verdict: String, text: String) {
    switch self {
    case .found(let text): ("found", text)
    case .notFound(let text): ("NOT FOUND", text)
    case .notAsked(let text): ("not asked", text)
    }
  }
}

/// The shapes, grouped by subject.
enum Shapes {}
