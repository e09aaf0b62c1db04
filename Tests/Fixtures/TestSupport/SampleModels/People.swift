import ObjectGraph

/// People and their addresses: several people at one address, and addresses that find their neighbours.
public enum People {
  public static func model() throws -> ManagedObjectModel { try ManagedObjectModel(entities) }

  public static let entities: [EntityDescription] = [
    EntityDescription(
      "Person", class: Person.self,
      attributes: [
        AttributeDescription("name", .string),
        AttributeDescription("height", .double),
      ],
      relationships: [RelationshipDescription("home", to: "HomeAddress", inverse: "people")],
      fetchedProperties: [
        FetchedPropertyDescription(
          "housemates", of: "Person",
          where: Property("home").compare(.equal, .variable("FETCH_SOURCE.home"))
            && Property.object.compare(.notEqual, .variable("FETCH_SOURCE")),
          sortedBy: [SortKey("name")])
      ]),
    EntityDescription(
      "HomeAddress", class: HomeAddress.self,
      attributes: [
        AttributeDescription("state", .string),
        AttributeDescription("zipCode", .string),
      ],
      relationships: [RelationshipDescription("people", toMany: "Person", inverse: "home")],
      fetchedProperties: [
        FetchedPropertyDescription(
          "neighbors", of: "HomeAddress",
          where: Property("zipCode").compare(.equal, .variable("FETCH_SOURCE.zipCode")))
      ],
      indexes: [["zipCode"]]),
  ]
}

public final class Person: ManagedObject {
  @Managed("name") public var name: String?
  @ManagedToOne("home") public var home: HomeAddress?
  /// The other people at the same address.
  @ManagedFetched("housemates") public var housemates: [Person]
}

public final class HomeAddress: ManagedObject {
  @Managed("state") public var state: String?
  @Managed("zipCode") public var zipCode: String?
  @ManagedToMany("people") public var people: Set<Person>
  /// All addresses with the same zip code in any store, including this one.
  @ManagedFetched("neighbors") public var neighbors: [HomeAddress]
}
