/// A request that inserts many objects into a store, without managed objects, validation or notifications. The
/// counterpart in Core Data is NSBatchInsertRequest.
///
/// The attributes of each object come from a dictionary, such as `["studentId": 7]`, or from a block. The block returns
/// true if there are no more objects:
///
///     var lines = file.lines.makeIterator()
///     let request = BatchInsertRequest("Students") { student in
///       guard let line = lines.next() else { return true }
///       try student.setValue(line.id, forKey: "studentId")
///       try student.setValue(line.name, forKey: "studentName")
///       return false
///     }
///     try context.execute(request)
///
/// A value must have the attribute's type. An attribute that is not set gets its default. As in Core Data, a required
/// attribute may be missing. All relationships of the new objects are empty.
///
/// If a stored object already has the same unique values, the context's ``ManagedObjectContext/mergePolicy`` decides:
///
/// - `error`: The request inserts nothing and throws ``ObjectGraphError/constraints(_:)``.
/// - `overwrite`: The stored object takes all attributes of the new object, including defaults.
/// - `mergeByPropertyObjectTrump`: The stored object takes only the attributes in the dictionary, or all attributes if
///   a block sets them.
/// - Any other policy: The stored object stays unchanged.
public struct BatchInsertRequest {
  let entityName: String
  /// The closure that sets the attributes of the next object to insert. It returns true if there are no more objects.
  let fill: (BatchObject) throws -> Bool
  /// Whether the objects to insert come from dictionaries, which may lack attributes. False if a block sets the
  /// attributes.
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

  /// Creates a request that calls a block for each object to insert.
  ///
  /// The block runs inside the transaction of the insertion, and must not use a context of the same coordinator.
  ///
  /// - Parameter objectHandler: A block that sets attributes of its argument and returns false, or returns true if
  ///   there are no more objects. Each call gets the same `BatchObject`, with all attributes reset to their defaults.
  public init(_ entityName: String, objectHandler: @escaping (BatchObject) throws -> Bool) {
    self.entityName = entityName
    isPartial = false
    fill = objectHandler
  }
}
