import ObjectGraph
import TestSupport
import Testing

/// Semantic 28: fetched properties.
@Suite struct FetchedPropertyTests {
  private let stack: Stack

  /// Four saved addresses: three with one zip code, one with another.
  init() throws {
    stack = try Stack(model: try People.model())
    for (index, zipCode) in ["10001", "10001", "90210", "10001"].enumerated() {
      _ = try stack.context.address("A\(index)", zipCode)
    }
    try stack.context.save()
  }

  private func first(_ context: ManagedObjectContext) throws -> HomeAddress {
    try #require(try context.fetch(FetchRequest<HomeAddress>(where: Property("state") == "A0")).first)
  }

  @Test("28: neighbors are all addresses with the same zip code, evaluated when asked for")
  func lazy() throws {
    let context = stack.otherContext()
    let address = try first(context)
    stack.clearStatements()
    #expect(address.zipCode == "10001")
    #expect(stack.statements.isEmpty)
    #expect(address.neighbors.map(\.state) == ["A0", "A1", "A3"])
    #expect(stack.statements.count == 1)
    // The value is bound: the trace shows it in its place.
    #expect(stack.statements.first?.contains("'10001'") == true)
    #expect(address.neighbors.first === address)
    #expect(try address.value(forKeyPath: "neighbors.state") as? [String] == ["A0", "A1", "A3"])
    #expect(stack.statements.count == 1)
  }

  @Test("28: not updated until a refresh, merging changes or not", arguments: [true, false])
  func refresh(mergeChanges: Bool) throws {
    let context = stack.otherContext()
    let address = try first(context)
    #expect(address.neighbors.count == 3)
    _ = try context.address("A4", "10001")
    try context.fetch(FetchRequest<HomeAddress>(where: Property("state") == "A1")).first?.zipCode = "90210"
    #expect(address.neighbors.map(\.state) == ["A0", "A1", "A3"])
    try context.save()
    #expect(address.neighbors.map(\.state) == ["A0", "A1", "A3"])
    try context.refresh(address, mergeChanges: mergeChanges)
    #expect(address.neighbors.map(\.state) == ["A0", "A3", "A4"])
  }

  @Test("28: the object's own unsaved value counts, and others that were not saved are found")
  func unsaved() throws {
    let address = try first(stack.context)
    address.zipCode = "90210"
    _ = try stack.context.address("A4", "90210")
    #expect(Set(address.neighbors.map(\.state)) == ["A0", "A2", "A4"])
    let new = try stack.context.address("A5", "90210")
    #expect(new.neighbors.count == 4)
    address.zipCode = nil
    try stack.context.refresh(address, mergeChanges: true)
    // No value is a value, too.
    #expect(address.neighbors.map(\.state) == ["A0"])
  }

  @Test("28: the only property that spans stores")
  func stores() throws {
    let second = try stack.coordinator.addPersistentStore(
      .sqlite, at: stack.directory.appendingPathComponent("second.db"))
    let other = try stack.context.address("B0", "10001")
    stack.context.assign(other, to: second)
    let ida = try stack.context.person("Ida", other)
    stack.context.assign(ida, to: second)
    let ada = try stack.context.person("Ada", try first(stack.context))
    let eva = try stack.context.person("Eva", try first(stack.context))
    try stack.context.save()
    #expect(other.objectID.uriRepresentation.host == second.identifier.uuidString)

    let context = stack.otherContext()
    let address = try first(context)
    #expect(Set(address.neighbors.map(\.state)) == ["A0", "A1", "A3", "B0"])
    let found = try #require(address.neighbors.first { $0.state == "B0" })
    #expect(found.objectID == other.objectID)
    #expect(Set(found.neighbors.map(\.state)) == ["A0", "A1", "A3", "B0"])
    // An object of one store is not taken for the one that has its key in another.
    #expect(ida.objectID.uriRepresentation.lastPathComponent == ada.objectID.uriRepresentation.lastPathComponent)
    #expect(ada.housemates == [eva])
    #expect(ida.housemates.isEmpty)
  }

  @Test("28: objects that find themselves go with their context")
  func memory() throws {
    weak var gone: HomeAddress?
    do {
      let context = stack.otherContext()
      let address = try first(context)
      #expect(address.neighbors.contains(address))
      gone = address
    }
    #expect(gone == nil)
  }

  @Test("28: a predicate that makes no sense is found with the model, not with the first use")
  func invalid() throws {
    func message(_ predicate: FetchPredicate, of destination: String = "HomeAddress") -> String? {
      var entities = People.entities
      entities[1].fetchedProperties = [FetchedPropertyDescription("found", of: destination, where: predicate)]
      return errorText { try ManagedObjectModel(entities) }
    }
    func equal(_ path: String, _ variable: String) -> FetchPredicate {
      Property(path).compare(.equal, .variable(variable))
    }
    #expect(message(equal("zipCode", "FETCH_SOURCE.state")) == nil)
    #expect(message(equal("zip", "FETCH_SOURCE.zipCode"))?.contains("HomeAddress.found") == true)
    #expect(message(equal("zipCode", "FETCH_SOURCE.zip"))?.contains("'zip'") == true)
    #expect(message(equal("zipCode", "SOURCE"))?.contains("$SOURCE") == true)
    #expect(message(equal("zipCode", "FETCH_SOURCE"))?.contains("different kinds") == true)
    #expect(message(equal("height", "FETCH_SOURCE.zipCode"), of: "Person")?.contains("different kinds") == true)
    #expect(message(equal("SELF", "FETCH_SOURCE.people"), of: "Person")?.contains("compare it with 'in'") == true)
    #expect(message(Property.object.compare(.in, .variable("FETCH_SOURCE.people")), of: "Person") == nil)
    #expect(throws: ObjectGraphError.self) { try stack.context.address("A", "1").fetchedObjects("zipCode") }
  }

  @Test("28: a list over a to-many relationship")
  func list() throws {
    var entities = People.entities
    entities[1].fetchedProperties = [
      FetchedPropertyDescription(
        "namesakes", of: "Person", where: Property("name").compare(.in, .variable("FETCH_SOURCE.people.name")),
        sortedBy: [SortKey("name")])
    ]
    let stack = try Stack(model: try ManagedObjectModel(entities))
    let (first, second) = (try stack.context.address("A", "1"), try stack.context.address("B", "1"))
    for (name, address) in [("Ada", first), ("Eva", first), ("Ada", second), ("Bob", second)] {
      _ = try stack.context.person(name, address)
    }
    try stack.context.save()
    #expect(try first.fetchedObjects("namesakes").compactMap { ($0 as? Person)?.name } == ["Ada", "Ada", "Eva"])
    #expect(try stack.context.address("C", "1").fetchedObjects("namesakes").isEmpty)
  }
}

extension ManagedObjectContext {
  fileprivate func address(_ state: String, _ zipCode: String) throws -> HomeAddress {
    let address = try insert(HomeAddress.self)
    address.state = state
    address.zipCode = zipCode
    return address
  }

  fileprivate func person(_ name: String, _ home: HomeAddress) throws -> Person {
    let person = try insert(Person.self)
    person.name = name
    person.home = home
    return person
  }
}
