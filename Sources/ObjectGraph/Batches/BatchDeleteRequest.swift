/// A request that deletes all stored objects found by a fetch request. The stores delete the objects directly, without
/// a context.
///
///     try context.execute(BatchDeleteRequest(FetchRequest<AppLog>(where: Property("accuracy") < 0.5)))
///
/// The delete rules of relationships apply: a cascade, for example, also deletes the related objects. Related objects
/// that stay lose their reference to the deleted object and get a new version. If a rule denies a deletion, or if a
/// required relationship would become empty, the store keeps all its objects, and the request fails with
/// ``ObjectGraphError/validation(_:)``.
///
/// Objects that a context has already loaded stay there until they are refreshed. The counterpart in Core Data is
/// NSBatchDeleteRequest.
public struct BatchDeleteRequest {
  let plan: (ManagedObjectModel) throws -> FetchPlan
  let window: FetchWindow
  let variables: [String: Operand]

  /// Creates a request to delete the stored objects that `request` finds in each store. Unsaved changes in contexts are
  /// ignored.
  public init<Object>(_ request: FetchRequest<Object>) {
    (plan, window, variables) = (request.plan, request.window, request.variables)
  }
}
