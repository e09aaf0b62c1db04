/// A request that inserts objects without validation, like NSBatchInsertRequest in Core Data. The context's merge
/// policy resolves conflicts of unique values.
public struct BatchInsertRequest {
  let entityName: String
  /// A block that sets the attributes of the next object to insert. The block returns true if no object is left.
  let fill: (BatchObject) throws -> Bool
  /// Whether the caller gives the objects as dictionaries, in which attributes may be missing.
  let isPartial: Bool

  /// Creates a request that inserts one object per dictionary of attributes, such as `["studentId": 7]`.
  public init(_ entityName: String, objects: [[String: (any ManagedValue)?]]) {
    self.entityName = entityName
    isPartial = true
    var rest = objects.makeIterator()
    // Starts again after the last dictionary, because the request may be executed again.
    fill = { object in
      guard let values = rest.next() else {
        rest = objects.makeIterator()
        return true
      }
      for (key, value) in values { try object.setValue(value, forKey: key) }
      return false
    }
  }

  /// Creates a request that calls a block for each object. The block must not use a context of the same coordinator.
  ///
  /// - Parameter objectHandler: A block that sets attributes of the next object and returns false, or returns true if
  ///   no object is left. Each call gets the same `BatchObject`. Attributes that are not set get defaults.
  public init(_ entityName: String, objectHandler: @escaping (BatchObject) throws -> Bool) {
    self.entityName = entityName
    isPartial = false
    fill = objectHandler
  }
}
