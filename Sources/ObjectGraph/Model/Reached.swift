/// The value or the object at the end of a path, such as `student_class.classNames`.
enum Reached: Equatable {
  case value(Value)
  case object(ManagedObjectID)

  var value: Value {
    if case .value(let value) = self { value } else { .null }
  }

  static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.object(let left), .object(let right)): left == right
    case (.value(let left), .value(let right)): left.isSame(as: right)
    default: false
    }
  }
}

/// The values and objects with which a property is compared, in hash sets for fast search.
final class ReachedSet {
  let values: [Reached]
  private let keys: Set<IndexKey>
  private let objects: Set<ManagedObjectID>

  init(_ values: [Reached]) {
    self.values = values
    keys = Set(values.lazy.compactMap { IndexKey($0.value) })
    objects = Set(values.lazy.compactMap { if case .object(let id) = $0 { id } else { nil } })
  }

  /// Returns whether a value or an object is one of those in this set. The result is false for null and NaN.
  func contains(_ reached: Reached) -> Bool {
    switch reached {
    case .value(let value): IndexKey(value).map(keys.contains) ?? false
    case .object(let id): objects.contains(id)
    }
  }
}
