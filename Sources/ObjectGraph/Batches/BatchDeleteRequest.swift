/// Deletes many objects past the contexts (NSBatchDeleteRequest).
///
///     try context.execute(BatchDeleteRequest(FetchRequest<AppLog>(where: Property("accuracy") < 0.5)))
///
/// Delete rules are carried out in the stores: cascades delete, the others' relationships are emptied and their versions
/// count up. Where a rule denies the deletion, or would empty a relationship that must not be empty, it fails with
/// ``ObjectGraphError/validation(_:)`` and nothing is deleted. (Of the latter, users report the same of Core Data: "Batch
/// delete failed due to mandatory … nullify inverse". What Core Data makes of the rule `deny` is not known.) Objects that
/// contexts have in memory stay there until they are refreshed.
public struct BatchDeleteRequest {
  let plan: (ManagedObjectModel) throws -> FetchPlan
  let window: FetchWindow
  let variables: [String: Operand]

  /// Deletes what a request finds in each store. Unsaved changes of contexts are not seen.
  public init<Object>(_ request: FetchRequest<Object>) {
    (plan, window, variables) = (request.plan, request.window, request.variables)
  }
}
