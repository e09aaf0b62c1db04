/// A request to delete many objects directly in the stores, bypassing contexts; the counterpart of
/// NSBatchDeleteRequest.
///
///     try context.execute(BatchDeleteRequest(FetchRequest<AppLog>(where: Property("accuracy") < 0.5)))
///
/// The stores apply the delete rules. A cascade deletes further objects. Other relationships lose the deleted objects,
/// and each object with such a relationship gets a new version. If a rule denies the deletion, or would empty a
/// required relationship, the request fails with ``ObjectGraphError/validation(_:)`` and nothing is deleted. (For
/// required relationships, users report that Core Data fails, too: "Batch delete failed due to mandatory … nullify
/// inverse". Core Data's treatment of the rule `deny` is not known.) A context keeps a deleted object in memory until
/// the context refreshes the object.
public struct BatchDeleteRequest {
  let plan: (ManagedObjectModel) throws -> FetchPlan
  let window: FetchWindow
  let variables: [String: Operand]

  /// Creates a request to delete the objects that `request` finds in each store. Unsaved changes of contexts are
  /// ignored.
  public init<Object>(_ request: FetchRequest<Object>) {
    (plan, window, variables) = (request.plan, request.window, request.variables)
  }
}
