import ObjectGraph
import TestSupport
import Testing

/// Semantic 31: a context can stay on one state of the stores (fact 5).
@Suite struct QueryGenerationTests {
  /// Students S0 to S2 in a class, with a course.
  private func filled(_ type: StoreType = .sqlite, _ options: StoreOptions = StoreOptions()) throws -> Stack {
    let stack = try Stack(type, options: options)
    let (home, music) = (try stack.context.schoolClass(1), try stack.context.course(1))
    for number in 0..<3 { _ = try stack.context.student("S\(number)", in: home, taking: [music]) }
    try stack.context.save()
    return stack
  }

  private func names(_ context: ManagedObjectContext) throws -> [String] {
    try context.students().map { "\($0.studentId) \($0.studentName)" }
  }

  /// Changes S1, deletes S2 and adds S3.
  private func change(_ stack: Stack) throws {
    let students = try stack.context.students()
    students[1].studentName = "Grace"
    try stack.context.delete(students[2])
    try stack.context.student("S3").schoolClass = students[0].schoolClass
    try stack.context.save()
  }

  private static let old = ["S0 Ada", "S1 Ada", "S2 Ada"]
  private static let new = ["S0 Ada", "S1 Grace", "S3 Ada"]

  @Test("32: a pinned context sees one state in fetches, faults, relationships, counts and figures while others save")
  func oneState() throws {
    let stack = try filled()
    let (pinned, free) = (stack.otherContext(), stack.otherContext())
    #expect(pinned.queryGenerationToken == nil)
    let home = try #require(try stack.context.fetch(FetchRequest<SchoolClass>()).first)
    try pinned.setQueryGenerationFrom(.current)
    #expect(pinned.queryGenerationToken == .current)
    // Chosen by the first request.
    #expect(try pinned.count(for: FetchRequest<Course>()) == 1)
    let token = try #require(pinned.queryGenerationToken)
    #expect(token != .current)
    try change(stack)
    for _ in 0..<2 {
      #expect(try names(pinned) == Self.old)
      #expect(try pinned.studentCount() == 3)
      #expect(try pinned.fetchObjectIDs(FetchRequest<Student>()).count == 3)
      #expect(try pinned.aggregate(FetchRequest<Student>(), [Aggregate(.count, of: "studentId")]) == [[.integer(3)]])
      let students = (pinned.object(with: home.objectID) as? SchoolClass)?.students ?? []
      #expect(students.map(\.studentId).sorted() == ["S0", "S1", "S2"])
      #expect(students.allSatisfy { $0.courses.count == 1 })
      #expect(try names(free) == Self.new)
      try pinned.refreshAllObjects()
    }
    // Another context may join.
    let joined = stack.otherContext()
    try joined.setQueryGenerationFrom(token)
    #expect(joined.queryGenerationToken == token)
    #expect(try names(joined) == Self.old)
    try joined.setQueryGenerationFrom(nil)
    joined.reset()
    #expect(try names(joined) == Self.new && names(pinned) == Self.old)
    try pinned.setQueryGenerationFrom(nil)
    try pinned.refreshAllObjects()
    #expect(pinned.queryGenerationToken == nil)
    #expect(try names(pinned) == Self.new)
    // The holder of a token can go back.
    try joined.setQueryGenerationFrom(token)
    try joined.refreshAllObjects()
    #expect(try names(joined) == Self.old)
  }

  @Test("32: a save, a reset and a merge move the pin on", arguments: 0..<3)
  func moving(_ way: Int) throws {
    let stack = try filled()
    let pinned = stack.otherContext()
    try pinned.setQueryGenerationFrom(.current)
    #expect(try names(pinned) == Self.old)
    let token = pinned.queryGenerationToken
    let students = try stack.context.students()
    students[1].studentName = "Grace"
    let changes = try stack.context.saveAnnounced()
    #expect(try names(pinned) == Self.old)
    switch way {
    case 0:
      _ = try pinned.course(2)
      try pinned.save()
    case 1: pinned.reset()
    default:
      try pinned.mergeChanges(fromContextDidSave: changes)
      #expect(try names(pinned) == ["S0 Ada", "S1 Grace", "S2 Ada"])
    }
    if way < 2 { #expect(pinned.queryGenerationToken == .current) }
    try pinned.refreshAllObjects()
    #expect(try names(pinned) == ["S0 Ada", "S1 Grace", "S2 Ada"])
    // It stays pinned, to the newer one.
    #expect(pinned.queryGenerationToken != nil && pinned.queryGenerationToken != token)
    students[0].studentName = "Eva"
    try stack.context.save()
    try pinned.refreshAllObjects()
    #expect(try names(pinned) == ["S0 Ada", "S1 Grace", "S2 Ada"])
  }

  @Test("32: what a pinned context changes of an old state is a conflict, and is resolved on the newest one")
  func conflicts() throws {
    let stack = try filled()
    let pinned = stack.otherContext()
    try pinned.setQueryGenerationFrom(.current)
    #expect(try pinned.studentCount() == 3)
    try change(stack)
    let students = try pinned.students()
    students[1].studentDes = "mine"
    let error = #expect(throws: ObjectGraphError.self) { try pinned.save() }
    #expect(error?.mergeConflicts?.map(\.objectID) == [students[1].objectID])
    #expect(try names(pinned) == Self.old)
    pinned.mergePolicy = .mergeByPropertyObjectTrump
    try pinned.save()
    #expect(students[1].studentName == "Grace" && students[1].studentDes == "mine")
    let stored = try stack.reopened().findStudent("S1")
    #expect(stored.studentName == "Grace" && stored.studentDes == "mine")
  }

  @Test(
    "32: a store that keeps no states leaves the context unpinned, quietly",
    arguments: [StoreType.binary, .xml, .inMemory])
  func elsewhere(_ type: StoreType) throws {
    let stack = try filled(type)
    let context = stack.otherContext()
    try context.setQueryGenerationFrom(.current)
    #expect(try names(context) == Self.old)
    #expect(context.queryGenerationToken == nil)
    try change(stack)
    try context.refreshAllObjects()
    #expect(try names(context) == Self.new)
  }

  @Test("32: the token of another coordinator is refused, and one of a store that was closed says what to do")
  func refusals() throws {
    let (stack, other) = (try filled(), try filled())
    let pinned = stack.otherContext()
    try pinned.setQueryGenerationFrom(.current)
    #expect(try names(pinned) == Self.old)
    let token = try #require(pinned.queryGenerationToken)
    let foreign = errorText { try other.otherContext().setQueryGenerationFrom(token) }
    #expect(foreign?.contains("another coordinator") == true)
    try stack.coordinator.remove(stack.store)
    #expect(throws: ObjectGraphError.self) { try names(pinned) }
    try stack.coordinator.addPersistentStore(.sqlite, at: stack.url)
    #expect(errorText { try names(pinned) }?.contains("unpin") == true)
    try pinned.setQueryGenerationFrom(nil)
    try pinned.refreshAllObjects()
    #expect(try names(pinned) == Self.old)
  }

  @Test("32: many pinned contexts take no connection away from others, and give theirs back")
  func many() throws {
    let stack = try filled(.sqlite, StoreOptions().with { $0.connectionPoolSize = 1 })
    var contexts: [ManagedObjectContext] = []
    for number in 0..<20 {
      let context = stack.otherContext()
      try context.setQueryGenerationFrom(.current)
      #expect(try context.count(for: FetchRequest<Course>()) == number + 1)
      contexts.append(context)
      _ = try stack.context.course(number + 2)
      try stack.context.save()
    }
    for (number, context) in contexts.enumerated() {
      #expect(try context.count(for: FetchRequest<Course>()) == number + 1)
    }
    contexts = []
    // No context keeps the log any more.
    try stack.coordinator.settle()
  }
}
