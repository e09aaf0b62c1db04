extension ResolvedPredicate {
  /// The predicate for looking at many objects: operands that are the same for all of them are worked out once.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` for a variable without a value, or with one of another kind.
  func prepared(_ variables: [String: Operand]) throws -> ResolvedPredicate {
    switch self {
    case .constant: return self
    case .and(let parts): return .and(try parts.map { try $0.prepared(variables) })
    case .or(let parts): return .or(try parts.map { try $0.prepared(variables) })
    case .not(let part): return .not(try part.prepared(variables))
    case .comparison(var comparison):
      guard comparison.operand.paths.isEmpty else { return self }
      let values = try comparison.constants(comparison.operand, variables)
      comparison.operand = .set(ReachedSet(values.map(comparison.folded)))
      return .comparison(comparison)
    }
  }
}
