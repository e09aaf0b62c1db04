/// The values of a list after IN, found without going through all of them: a list may have as many as there are objects.
final class ReachedSet {
  /// All of them, in the form in which they are compared.
  let values: [Reached]
  private let keys: Set<Key>

  /// What two values that are equal to a predicate have in common; see ``Value/isSame(as:)``.
  private enum Key: Hashable {
    case integer(Int64)
    case double(Double)
    /// A text by its bytes: Swift's `==` takes different spellings of one character for equal.
    case text([UInt8])
    case bytes([UInt8])
    case object(ManagedObjectID)

    /// - Returns: nil for an absent value, which IN never finds.
    init?(_ reached: Reached) {
      switch reached {
      case .object(let id): self = .object(id)
      case .value(.null): return nil
      case .value(.integer(let number)): self = .integer(number)
      case .value(.double(let number)): self = Int64(exactly: number).map(Key.integer) ?? .double(number)
      case .value(.string(let text)): self = .text(Array(text.utf8))
      case .value(.binary(let bytes)): self = .bytes(bytes)
      }
    }
  }

  init(_ values: [Reached]) {
    self.values = values
    keys = Set(values.lazy.compactMap(Key.init))
  }

  func contains(_ reached: Reached) -> Bool { Key(reached).map(keys.contains) ?? false }
}

extension ResolvedPredicate {
  /// The predicate for looking at many objects: lists of constants after IN are looked up.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` for a variable without a value, or with one of another kind.
  func prepared(_ variables: [String: Operand]) throws -> ResolvedPredicate {
    switch self {
    case .constant: return self
    case .and(let parts): return .and(try parts.map { try $0.prepared(variables) })
    case .or(let parts): return .or(try parts.map { try $0.prepared(variables) })
    case .not(let part): return .not(try part.prepared(variables))
    case .comparison(var comparison):
      guard comparison.comparison == .in, comparison.operand.paths.isEmpty else { return self }
      let values = try comparison.constants(comparison.operand, variables)
      // A few are compared sooner than looked up.
      guard values.count > 8 else { return self }
      comparison.operand = .set(ReachedSet(values.map(comparison.folded)))
      return .comparison(comparison)
    }
  }
}
