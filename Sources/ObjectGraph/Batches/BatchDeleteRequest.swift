/// A request that deletes the stored objects that a fetch request finds, directly in the stores. The counterpart in
/// Core Data is NSBatchDeleteRequest.
///
///     try context.execute(BatchDeleteRequest(FetchRequest<AppLog>(where: Property("accuracy") < 0.5)))
///
/// Delete rules apply, such as a cascade. Related objects that stay lose their reference to the deleted object and get
/// a new version. The request fails with ``ObjectGraphError/validation(_:)`` if a rule denies a deletion, or if a
/// required relationship would become empty. The store then keeps all its objects.
///
/// Objects that a context has already loaded stay there until they are refreshed.
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
