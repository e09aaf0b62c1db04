import StorageContract

/// What became of one promise.
public struct ConformanceResult: Sendable, CustomStringConvertible {
  /// Whether a promise is kept.
  public enum PromiseStatus: Sendable, Equatable {
    /// The promise is kept.
    case kept
    /// It is not; what was found instead, in sentences.
    case broken([String])
    /// It does not concern this backend, for the reason given.
    case notApplicable(String)
    /// This machine does not let it be checked, for the reason given.
    case unchecked(String)
  }

  /// The backend with its options.
  public let backend: String
  /// The durability that it was asked for.
  public let durability: Durability
  /// The check's name: `all-or-nothing`.
  public let check: String
  /// What is promised.
  public let promise: String
  /// Whether it is kept.
  public let status: PromiseStatus
  /// Whether the process took longer than it may.
  let isHanging: Bool

  /// Whether the promise is broken.
  public var isBroken: Bool {
    if case .broken = status { true } else { false }
  }

  public var description: String {
    let words =
      switch status {
      case .kept: "kept"
      case .broken(let found): "BROKEN: \(found.joined(separator: "; "))"
      case .notApplicable(let reason): "not applicable, because \(reason)"
      case .unchecked(let reason): "not checked: \(reason)"
      }
    return "\(backend) (\(durability.rawValue)) \(check): \(promise): \(words)"
  }
}

/// A backend broke promises.
public struct ConformanceFailure: Error, CustomStringConvertible, Sendable {
  /// The promises that were broken.
  public let results: [ConformanceResult]

  /// One line for each promise and what was found.
  public var description: String { results.map(\.description).joined(separator: "\n") }
}
