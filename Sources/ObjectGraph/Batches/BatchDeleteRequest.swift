/// A request that deletes objects directly in the stores, like NSBatchDeleteRequest in Core Data. Objects loaded in a
/// context stay there until refreshed.
public struct BatchDeleteRequest {
  let plan: (ManagedObjectModel) throws -> FetchPlan
  let window: FetchWindow
  let variables: [String: Operand]

  /// Creates a request to delete the objects that `request` finds in each store. Unsaved changes are ignored.
  public init<Object>(_ request: FetchRequest<Object>) {
    (plan, window, variables) = (request.plan, request.window, request.variables)
  }
}
