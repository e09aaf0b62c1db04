import StorageContract

/// The result of one conformance check, which tests one guarantee of a backend.
public struct ConformanceResult: Sendable, CustomStringConvertible {
  /// The outcome of a conformance check, which tests one guarantee of a backend.
  public enum PromiseStatus: Sendable, Equatable {
    /// The backend keeps the guarantee that the check tests.
    case kept
    /// The backend breaks the guarantee that the check tests. The strings describe the violations.
    case broken([String])
    /// The guarantee does not apply to this backend. The string is the reason.
    case notApplicable(String)
    /// The guarantee cannot be checked on this machine. The string is the reason.
    case unchecked(String)
  }

  /// The name of the backend with its options, as on the command line: `sqlite:journal=wal`.
  public let backend: String
  /// The durability requested from the backend, such as `durable`.
  public let durability: Durability
  /// The name of the check, such as `all-or-nothing`.
  public let check: String
  /// The guarantee that the check tests, as a clause such as `a missing file is an empty store`.
  public let promise: String
  /// The outcome of the check: the guarantee is kept, is broken, does not apply or cannot be checked.
  public let status: PromiseStatus
  /// Whether a process of the conformance check exceeded its timeout.
  let isHanging: Bool

  init(
    _ subject: CheckedBackend, _ check: String, _ promise: String, _ status: PromiseStatus, isHanging: Bool = false
  ) {
    (backend, durability) = (subject.name, subject.durability)
    (self.check, self.promise, self.status, self.isHanging) = (check, promise, status, isHanging)
  }

  /// Whether the conformance check found that the backend breaks the tested guarantee.
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

/// An error that lists the guarantees that a backend broke in the conformance checks.
public struct ConformanceFailure: Error, CustomStringConvertible, Sendable {
  /// The results of the failed conformance checks. Each check tests one guarantee of the backend.
  public let results: [ConformanceResult]

  /// One line for each failed conformance check, with the violations that the check found.
  public var description: String { results.map(\.description).joined(separator: "\n") }
}
