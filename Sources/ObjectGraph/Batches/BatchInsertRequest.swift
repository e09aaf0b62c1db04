/// Inserts many objects without a context. No object is created, validated or announced (NSBatchInsertRequest).
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
/// Attributes only: relationships are empty. What is not given gets the attribute's default. An attribute takes values of
/// its type only, but one that is required may be absent, as in Core Data.
///
/// Where a uniqueness constraint says that an object is there already, the context's ``ManagedObjectContext/mergePolicy``
/// decides: `error` fails with ``ObjectGraphError/constraints(_:)``, and nothing is written; under
/// `mergeByPropertyObjectTrump` and `overwrite` the one that is there takes the values (SQL's upsert); under the others it
/// stays as it is. From a dictionary, `mergeByPropertyObjectTrump` takes the keys that it has, from a block all attributes;
/// for the block, users report the same of Core Data, for the dictionary nothing was found.
public struct BatchInsertRequest {
  /// The entity of the objects.
  let entityName: String
  /// Fills the next object. Returns true when there are no more.
  let fill: (BatchObject) throws -> Bool
  /// Whether objects say which of their attributes are given.
  let isPartial: Bool

  /// Inserts an object for each dictionary of attributes by their names.
  public init(_ entityName: String, objects: [[String: (any ManagedValue)?]]) {
    self.entityName = entityName
    isPartial = true
    var rest = objects.makeIterator()
    // The request may be executed again.
    fill = { object in
      guard let values = rest.next() else {
        rest = objects.makeIterator()
        return true
      }
      for (key, value) in values { try object.setValue(value, forKey: key) }
      return false
    }
  }

  /// Inserts objects that a block fills one after the other.
  ///
  /// The block is called inside the transaction, and must not use contexts of the same coordinator.
  ///
  /// - Parameters:
  ///   - entityName: The entity of the objects, as the model names it.
  ///   - objectHandler: Fills an object and returns false; when there is none left, it returns true. The object is the same
  ///     every time, and begins with the defaults.
  public init(_ entityName: String, objectHandler: @escaping (BatchObject) throws -> Bool) {
    self.entityName = entityName
    isPartial = false
    fill = objectHandler
  }
}
