import ObjectGraph

/// The model of a country manager: one entity, found by its key.
public enum Countries {
  /// The model.
  public static func model() throws -> ManagedObjectModel { try ManagedObjectModel([entity]) }

  /// Its entity.
  public static let entity = EntityDescription(
    "Country", class: Country.self,
    attributes: [
      AttributeDescription("key", .integer64, optional: false),
      AttributeDescription("name", .string),
      AttributeDescription("capital", .string),
      AttributeDescription("population", .integer64),
      AttributeDescription("area", .double),
    ],
    indexes: [["key"]])
}

/// A country.
public final class Country: ManagedObject {
  @Managed("key") public var key: Int
  @Managed("name") public var name: String?
  @Managed("capital") public var capital: String?
  @Managed("population") public var population: Int?
  @Managed("area") public var area: Double?
}
