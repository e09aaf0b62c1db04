/// A request that inserts many objects into a store without a context. No managed object is created, no validation rule
/// is checked, and no observer is notified. The counterpart in Core Data is NSBatchInsertRequest.
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
/// The request sets only attributes. All relationships of the new objects are empty. An attribute that is not set gets
/// its default. A value must have the attribute's type. As in Core Data, a required attribute may be missing.
///
/// If a stored object already has the same unique values, the context's ``ManagedObjectContext/mergePolicy`` decides:
///
/// - `error`: The request inserts nothing and throws ``ObjectGraphError/constraints(_:)``.
/// - `overwrite`: The stored object takes all attributes of the new object, including defaults.
/// - `mergeByPropertyObjectTrump`: If the new object comes from a dictionary, the stored object takes only the
///   attributes in the dictionary. If the new object comes from a block, the stored object takes all attributes.
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

  /// Creates a request that calls a block for each object to insert. The block sets the attributes of the object.
  ///
  /// The block runs inside the transaction of the insertion. It must not use a context of the coordinator that runs the
  /// request.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity of the objects.
  ///   - objectHandler: A block that sets the attributes of its argument and returns false. If there are no more
  ///     objects, the block returns true. Each call gets the same `BatchObject`, with all attributes reset to their
  ///     defaults.
  public init(_ entityName: String, objectHandler: @escaping (BatchObject) throws -> Bool) {
    self.entityName = entityName
    isPartial = false
    fill = objectHandler
  }
}
