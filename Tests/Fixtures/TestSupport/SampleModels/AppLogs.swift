import ObjectGraph

/// The log entries of an app, found or created by ID.
public enum AppLogs {
  public static func model() throws -> ManagedObjectModel { try ManagedObjectModel([entity]) }

  public static let entity = EntityDescription(
    "AppLog", class: AppLog.self,
    attributes: [
      AttributeDescription("appLogID", .string, optional: false),
      AttributeDescription("userID", .string, optional: false),
      AttributeDescription("accuracy", .double),
    ],
    uniquenessConstraints: [["userID", "appLogID"]],
    indexes: [["appLogID"]])
}

public final class AppLog: ManagedObject {
  @Managed("appLogID") public var appLogID: String
  @Managed("userID") public var userID: String
  @Managed("accuracy") public var accuracy: Double?

  /// Returns the entry with an ID: an existing one, saved or not, or a new one.
  public static func findOrCreate(
    _ appLogID: String, of userID: String, in context: ManagedObjectContext
  ) throws -> AppLog {
    let request = FetchRequest<AppLog>(
      where: Property("appLogID") == appLogID && Property("userID") == userID, limit: 1)
    request.returnsObjectsAsFaults = false
    if let found = try context.fetch(request).first { return found }
    let made = try context.insert(AppLog.self)
    (made.appLogID, made.userID) = (appLogID, userID)
    return made
  }
}
