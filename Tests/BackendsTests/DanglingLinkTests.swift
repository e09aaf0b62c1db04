import StorageContract
import Testing

/// The rule `noaction` leaves the same links to deleted records natively and emulated.
@Suite struct DanglingLinkTests {
  private static let (classes, students) = (CollectionID(0), CollectionID(1))
  private static let (inClass, friends) = (RelationshipID(0), RelationshipID(1))

  @Test(arguments: [
    Configuration("plist"), Configuration("sqlite"), Configuration("sqlite", ["ids=uuid4"]),
    Configuration("sqlite", ["connection=per-operation"]), Configuration("sqlite-queue"),
    Configuration("object-graph"), Configuration("object-graph", ["store=binary"]),
    Configuration("object-graph", ["store=memory"]),
  ])
  func linksToADeletedRecordStay(_ configuration: Configuration) throws {
    let collections = ["classes", "students", "links"]
    try Subject.withStore(configuration, collections: collections) { store in
      let relations = Capability.relational(of: store).value
      try relations.declare(
        RelationSchema(
          [
            RecordRelationship(
              "class_students", from: Self.classes, to: Self.students, sources: .one, deleteRule: .noAction),
            RecordRelationship("friends", from: Self.students, to: Self.students),
          ], links: CollectionID(2)))
      try relations.commit(
        (1...2).map { .put(Tricky.record($0, "class"), in: Self.classes) }
          + (1...4).map { .put(Tricky.record($0, "student"), in: Self.students) }
          + (1...3).map { .link(1, to: $0, by: Self.inClass) } + [.link(2, to: 4, by: Self.inClass)]
          + [.link(1, to: 2, by: Self.friends)])
      func dangling() throws -> [[Int64]] {
        try [Self.inClass, Self.friends].flatMap { id in
          try LinkDirection.allCases.map { try relations.dangling(by: id, $0) }
        }
      }
      #expect(try dangling() == [[], [], [], []])
      try relations.commit([.delete(1, in: Self.classes)])
      #expect(try store.count(in: Self.classes) == 1)
      #expect(try store.records(.all, in: Self.students).map(\.id) == [1, 2, 3, 4])
      #expect(try dangling() == [[], [1, 2, 3], [], []])
      // Neither end finds such a link, and the other links are as before.
      #expect(try relations.destinations(of: 1, by: Self.inClass).isEmpty)
      #expect(try relations.sources(of: 2, by: Self.inClass).isEmpty)
      #expect(try relations.destinations(of: 2, by: Self.inClass) == [4])
      try relations.walk(from: 2, by: Self.inClass, .inverse) { _ in
        Issue.record("a class was found")
        return true
      }
      // Another class replaces the deleted one, and a deleted student leaves nothing.
      try relations.commit([.link(2, to: 3, by: Self.inClass), .delete(2, in: Self.students)])
      #expect(try dangling() == [[], [1], [], []])
      #expect(try relations.destinations(of: 2, by: Self.inClass) == [3, 4])
      #expect(try relations.destinations(of: 1, by: Self.friends).isEmpty)
    }
  }
}
