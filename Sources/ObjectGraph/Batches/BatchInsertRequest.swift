/// A request to insert many objects without a context (NSBatchInsertRequest). No managed object is created or
/// validated, and no observer is notified.
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
/// Only attributes are set; relationships are empty. An attribute that is not set gets its default. A value must have
/// the attribute's type, but a required attribute may be missing, as in Core Data.
///
/// If an object with the same unique values exists, the context's ``ManagedObjectContext/mergePolicy`` decides: `error`
/// fails with ``ObjectGraphError/constraints(_:)``, and nothing is written; `mergeByPropertyObjectTrump` and
/// `overwrite` update the existing object (SQL's upsert); the other policies keep it unchanged. With dictionaries,
/// `mergeByPropertyObjectTrump` updates only the attributes in the dictionary; with a block, it updates all attributes.
/// For blocks, users report the same of Core Data. For dictionaries, Core Data's behavior is not known.
public struct BatchInsertRequest {
  let entityName: String
  /// The closure that sets the attributes of the next object. It returns false if it has set an object, and true if
  /// there are no more objects.
  let fill: (BatchObject) throws -> Bool
  /// Whether the objects come from dictionaries, which may lack attributes. False for objects that a block fills.
  let isPartial: Bool

  /// Creates a request that inserts one object per dictionary. A dictionary maps attribute names to values.
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

  /// Creates a request that inserts objects whose attributes a block sets, one object per call.
  ///
  /// The block is called inside the transaction that inserts the objects, and must not use contexts of the same
  /// coordinator.
  ///
  /// - Parameters:
  ///   - entityName: The entity of the objects, as the model names it.
  ///   - objectHandler: A block that sets the attributes of the passed object and returns false, or returns true if
  ///     there is no further object. Each call gets the same instance, reset to the defaults.
  public init(_ entityName: String, objectHandler: @escaping (BatchObject) throws -> Bool) {
    self.entityName = entityName
    isPartial = false
    fill = objectHandler
  }
}
