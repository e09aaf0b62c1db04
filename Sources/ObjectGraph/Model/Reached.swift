/// The value or the object at the end of a path, such as `student_class.classNames`.
enum Reached {
  case value(Value)
  case object(ManagedObjectID)

  var value: Value {
    if case .value(let value) = self { value } else { .null }
  }

  var isNull: Bool {
    if case .value(.null) = self { true } else { false }
  }
}

/// The values with which a property is compared, in a hash set for fast search.
final class ReachedSet {
  let values: [Reached]
  private let keys: Set<Key>

  /// A hashable form of a value or an object ID. Values that predicates treat as equal, such as 2 and 2.0, have the
  /// same form.
  private enum Key: Hashable {
    case integer(Int64)
    case double(Double)
    /// The UTF-8 bytes of a text, which are compared byte by byte, unlike a `String`.
    case text([UInt8])
    case bytes([UInt8])
    case object(ManagedObjectID)

    /// Creates the hashable form of a value or an object ID that a predicate compares, so that a hash set can be
    /// searched for an equal one. Returns nil for an absent value (null).
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
