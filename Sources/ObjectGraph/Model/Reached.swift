/// The end of a path: a value, or an object.
enum Reached {
  case value(Value)
  case object(ManagedObjectID)

  /// The value, or null for an object.
  var value: Value {
    if case .value(let value) = self { value } else { .null }
  }

  var isNull: Bool {
    if case .value(.null) = self { true } else { false }
  }
}

/// The values of an operand that is the same for all objects. Those of a list after IN, which may be as many as the
/// objects, are found without going through all of them.
final class ReachedSet {
  /// All of them, in the form in which they are compared.
  let values: [Reached]
  private let keys: Set<Key>

  /// The common form of two values that are equal to a predicate; see ``Value/isSame(as:)``.
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
