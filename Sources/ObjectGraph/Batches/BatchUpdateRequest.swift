/// Sets attributes of many objects past the contexts (NSBatchUpdateRequest).
///
///     let request = BatchUpdateRequest("Students", where: Property("studentPwd") == .null)
///     request.propertiesToUpdate = ["studentPwd": "changeit"]
///     try context.execute(request)
///
/// Nothing is validated but the type and uniqueness: an object that would share values that must be unique is
/// ``ObjectGraphError/constraints(_:)`` under every merge policy, and nothing is written. Objects that contexts have in
/// memory stay as they are; their next save meets a conflict, since the version counts up. Each object gets the same
/// values: expressions over its own ones are not here.
public struct BatchUpdateRequest {
  /// The entity of the objects.
  public var entityName: String
  /// Which objects, or nil for all.
  public var predicate: FetchPredicate?
  /// The values of the predicate's variables, by name.
  public var variables: [String: Operand] = [:]
  /// The values of attributes by their names; relationships cannot be among them.
  public var propertiesToUpdate: [String: (any ManagedValue)?] = [:]
  /// What the result is to tell.
  public var resultType = BatchRequestResultType.statusOnly
  /// The stores whose objects are updated; nil for all that are open.
  public var affectedStores: [PersistentStore]?

  /// Describes an update of the objects that a predicate finds.
  public init(_ entityName: String, where predicate: FetchPredicate? = nil) {
    self.entityName = entityName
    self.predicate = predicate
  }
}
