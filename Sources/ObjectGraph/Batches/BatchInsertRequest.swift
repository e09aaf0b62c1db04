/// A request that inserts many objects without validation, like NSBatchInsertRequest in Core Data. The context's merge
/// policy handles existing unique values.
public struct BatchInsertRequest {
  let entityName: String
  /// The block that sets the attributes of the next object to insert, and returns true if there are no more objects.
  let fill: (BatchObject) throws -> Bool
  /// Whether the objects come from dictionaries, which may lack attributes. False if a block sets the attributes.
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
  /// - Parameter objectHandler: A block that sets attributes and returns false, or returns true if no object is left.
  public init(_ entityName: String, objectHandler: @escaping (BatchObject) throws -> Bool) {
    self.entityName = entityName
    isPartial = false
    fill = objectHandler
  }
}
