import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 23: the fetched results controller.
@Suite struct FetchedResultsTests {
  private typealias Controller = FetchedResultsController<Student>

  /// Students in three classes, saved: a1 and a2 in 7A, b1 in 7B, none in 7C; n1 in no class.
  private func stack() throws -> Stack {
    let stack = try Stack()
    let classes = try ["7A", "7B", "7C"].enumerated().map { try stack.context.schoolClass($0.offset, $0.element) }
    for (id, place) in [("a1", 0), ("a2", 0), ("b1", 1), ("n1", nil)] as [(String, Int?)] {
      try stack.context.student(id).schoolClass = place.map { classes[$0] }
    }
    try stack.context.save()
    return stack
  }

  private static let byClass = [SortKey("student_class.classNames"), SortKey("studentId")]

  /// A controller with sections by class, followed by a mirror.
  private func followed(
    _ context: ManagedObjectContext, where predicate: FetchPredicate? = nil
  ) throws -> (controller: Controller, mirror: ResultsMirror<Student>) {
    let controller = Controller(
      fetchRequest: FetchRequest(where: predicate, sortedBy: Self.byClass), managedObjectContext: context,
      sectionNameKeyPath: "student_class.classNames")
    let mirror = ResultsMirror<Student> { $0.studentId }
    controller.delegate = mirror
    try controller.performFetch()
    mirror.load(controller)
    return (controller, mirror)
  }

  private func student(_ id: String, _ context: ManagedObjectContext) throws -> Student {
    try #require(try context.fetch(FetchRequest<Student>(where: Property("studentId") == id)).first)
  }

  private func schoolClass(_ name: String, _ context: ManagedObjectContext) throws -> SchoolClass {
    try #require(try context.fetch(FetchRequest<SchoolClass>(where: Property("classNames") == name)).first)
  }

  @Test("23: sections, their names and objects, and index paths")
  func sections() throws {
    let stack = try stack()
    defer { withExtendedLifetime(stack) {} }
    let context = stack.context
    let (controller, _) = try followed(context)
    let sections = try #require(controller.sections)
    #expect(sections.map(\.name) == ["", "7A", "7B"])
    #expect(sections.map(\.objects.count) == [1, 2, 1])
    #expect(sections.map { $0.objects.map(\.studentId) } == [["n1"], ["a1", "a2"], ["b1"]])
    #expect(controller.fetchedObjects?.map(\.studentId) == ["n1", "a1", "a2", "b1"])
    let second = IndexPath(item: 1, section: 1)
    #expect(controller.object(at: second)?.studentId == "a2")
    #expect(controller.indexPath(forObject: try student("a2", context)) == second)
    for path in [IndexPath(item: 2, section: 1), IndexPath(item: 0, section: 3), IndexPath(item: -1, section: 0), [1]] {
      #expect(controller.object(at: path) == nil)
    }
    #expect(controller.indexPath(forObject: try context.student("new")) == nil)
  }

  @Test("23: without a section key there is one section, also of nothing")
  func oneSection() throws {
    let stack = try stack()
    let controller = Controller(
      fetchRequest: FetchRequest(
        where: Property("studentName") == "Bob", sortedBy: [SortKey("studentId", ascending: false)]),
      managedObjectContext: stack.context)
    let mirror = ResultsMirror<Student> { $0.studentId }
    controller.delegate = mirror
    #expect(controller.fetchedObjects == nil && controller.sections == nil)
    try controller.performFetch()
    mirror.load(controller)
    #expect(controller.sections?.map(\.objects.count) == [0])
    for id in ["x1", "x3", "x2"] { _ = try stack.context.student(id, "Bob") }
    try stack.context.processPendingChanges()
    #expect(mirror.events == ["insert x3 0.0", "insert x2 0.1", "insert x1 0.2"])
  }

  @Test("23: insert, delete, update and move, each with its places before and after")
  func events() throws {
    let stack = try stack()
    // It removes the store's directory when it is released.
    defer { withExtendedLifetime(stack) {} }
    let context = stack.context
    let (controller, mirror) = try followed(context)
    let first = try schoolClass("7A", context)
    try context.student("a0").schoolClass = first
    try context.processPendingChanges()
    #expect(mirror.events == ["insert a0 1.0"])
    try student("a1", context).studentDes = "changed"
    try context.processPendingChanges()
    #expect(mirror.events == ["update a1 1.1 to 1.1"])
    try student("a0", context).studentId = "a9"
    try context.processPendingChanges()
    #expect(mirror.events == ["move a9 1.0 to 1.2"])
    // A value of the order that leaves the place as it is.
    try student("a9", context).studentId = "a3"
    try context.processPendingChanges()
    #expect(mirror.events == ["update a3 1.2 to 1.2"])
    try context.delete(try student("a1", context))
    try context.processPendingChanges()
    #expect(mirror.events == ["delete a1 1.0"])
    #expect(mirror.objects == controller.fetchedObjects)
    // Several at once: places before are those before all of it, places after those after all of it.
    let (a2, a3, b1) = (try student("a2", context), try student("a3", context), try student("b1", context))
    a2.studentDes = "changed"
    a3.studentId = "a1"
    try context.delete(b1)
    _ = try context.student("n0")
    try context.processPendingChanges()
    #expect(
      mirror.events == [
        "delete section 2 '7B'", "delete b1 2.0", "insert n0 0.0", "move a1 1.1 to 1.0", "update a2 1.0 to 1.1",
      ])
    #expect(mirror.sections.map(\.name) == controller.sections?.map(\.name))
    // A save is no change.
    let before = mirror.counts
    try context.save()
    #expect(mirror.counts == before)
  }

  @Test("23: sections come and go with their objects, and move with their name")
  func sectionEvents() throws {
    let stack = try stack()
    defer { withExtendedLifetime(stack) {} }
    let context = stack.context
    let (controller, mirror) = try followed(context)
    try student("b1", context).schoolClass = schoolClass("7C", context)
    try context.processPendingChanges()
    #expect(mirror.events == ["delete section 2 '7B'", "insert section 2 '7C'", "move b1 2.0 to 2.0"])
    try schoolClass("7A", context).classNames = "9A"
    try context.processPendingChanges()
    #expect(
      mirror.events == [
        "delete section 1 '7A'", "insert section 2 '9A'", "move a1 1.0 to 2.0", "move a2 1.1 to 2.1",
      ])
    // Two classes of one name are one section.
    try schoolClass("7C", context).classNames = "9A"
    try context.processPendingChanges()
    #expect(mirror.events == ["delete section 1 '7C'", "move b1 1.0 to 1.2"])
    #expect(mirror.objects == controller.fetchedObjects)
  }

  @Test("23: an object comes and goes with its own values and with those of others that the predicate looks at")
  func membership() throws {
    let stack = try stack()
    defer { withExtendedLifetime(stack) {} }
    let context = stack.context
    let (controller, mirror) = try followed(
      context, where: .any("student_course.courseName") == "Music" || Property("student_class.classNames") == "7B")
    #expect(controller.fetchedObjects?.map(\.studentId) == ["b1"])
    let course = try context.course(1, "History")
    try student("a1", context).courses = [course]
    try context.processPendingChanges()
    #expect(mirror.objects.map(\.studentId) == ["b1"])
    course.courseName = "Music"
    try context.processPendingChanges()
    #expect(mirror.objects.map(\.studentId) == ["a1", "b1"])
    course.students = [try student("a2", context)]
    try context.processPendingChanges()
    #expect(mirror.objects.map(\.studentId) == ["a2", "b1"])
    try schoolClass("7B", context).classNames = "7D"
    try context.processPendingChanges()
    #expect(mirror.objects.map(\.studentId) == ["a2"])
    try context.delete(course)
    try context.processPendingChanges()
    #expect(mirror.sections.isEmpty && controller.sections?.isEmpty == true)
  }

  @Test("23: what another context saves comes by merging, also what was never here")
  func merging() throws {
    let stack = try stack()
    let context = stack.otherContext()
    let (controller, mirror) = try followed(context, where: Property("studentName") == "Ada")
    let (a1, n1) = (try student("a1", stack.context), try student("n1", stack.context))
    a1.studentName = "Eva"
    try stack.context.delete(n1)
    _ = try stack.context.student("n2")
    try context.mergeChanges(fromContextDidSave: stack.context.saveAnnounced())
    #expect(mirror.objects.map(\.studentId) == ["n2", "a2", "b1"])
    // It was let go of here: a controller does not hold what it does not show.
    #expect(context.registeredObject(for: a1.objectID) == nil)
    a1.studentName = "Ada"
    try schoolClass("7B", stack.context).classNames = "5B"
    try context.mergeChanges(fromContextDidSave: stack.context.saveAnnounced())
    #expect(mirror.objects.map(\.studentId) == ["n2", "b1", "a1", "a2"])
    #expect(mirror.objects == controller.fetchedObjects)
  }

  @Test("23: a change costs no more than the rows that it is about")
  func cost() throws {
    let stack = try Stack()
    let classes = try (0..<10).map { try stack.context.schoolClass($0, "C\($0)") }
    for number in 0..<500 { try stack.context.student("S\(number)").schoolClass = classes[number % 10] }
    try stack.context.save()
    let context = stack.otherContext()
    stack.clearStatements()
    let (controller, mirror) = try followed(context)
    // The students and, in one go, their classes.
    #expect(stack.selects.count == 2)
    let first = try #require(controller.object(at: IndexPath(item: 0, section: 0)))
    stack.clearStatements()
    first.studentName = "Eva"
    first.schoolClass = controller.object(at: IndexPath(item: 0, section: 5))?.schoolClass
    try context.processPendingChanges()
    #expect(mirror.events == ["move S0 0.0 to 5.0"])
    // Those in the two classes are looked up once, to see that nothing is different for them.
    #expect(stack.statements.count <= 4)
    stack.clearStatements()
    for _ in 0..<20 {
      first.schoolClass = controller.object(at: IndexPath(item: 5, section: 0))?.schoolClass
      try context.processPendingChanges()
      first.schoolClass = controller.object(at: IndexPath(item: 5, section: 5))?.schoolClass
      try context.processPendingChanges()
    }
    #expect(stack.statements.isEmpty)
  }

  @Test("23: undo, rollback and refresh are followed")
  func reverting() throws {
    let stack = try stack()
    defer { withExtendedLifetime(stack) {} }
    let context = stack.context
    context.undoManager = UndoManager()
    let (controller, mirror) = try followed(context)
    let a1 = try student("a1", context)
    a1.studentId = "z1"
    try context.processPendingChanges()
    try context.undo()
    #expect(mirror.events == ["move a1 1.1 to 1.0"])
    try context.redo()
    #expect(mirror.events == ["move z1 1.0 to 1.1"])
    _ = try context.student("n0")
    try context.delete(try student("b1", context))
    try context.processPendingChanges()
    context.rollback()
    #expect(mirror.objects.map(\.studentId) == ["n1", "a1", "a2", "b1"])
    a1.studentId = "z1"
    try context.processPendingChanges()
    try context.refresh(a1, mergeChanges: false)
    try context.processPendingChanges()
    #expect(mirror.objects.map(\.studentId) == ["n1", "a1", "a2", "b1"])
    #expect(mirror.objects == controller.fetchedObjects)
    context.reset()
    #expect(mirror.sections.isEmpty && controller.fetchedObjects == nil)
    try controller.performFetch()
    #expect(controller.fetchedObjects?.count == 4)
  }

  @Test("23: a limit and an offset hold after changes, too")
  func window() throws {
    let stack = try stack()
    defer { withExtendedLifetime(stack) {} }
    let context = stack.context
    let request = FetchRequest<Student>(sortedBy: [SortKey("studentId")], limit: 2, offset: 1)
    let controller = Controller(fetchRequest: request, managedObjectContext: context)
    let mirror = ResultsMirror<Student> { $0.studentId }
    controller.delegate = mirror
    try controller.performFetch()
    mirror.load(controller)
    #expect(mirror.objects.map(\.studentId) == ["a2", "b1"])
    _ = try context.student("a0")
    try context.processPendingChanges()
    #expect(mirror.events == ["delete b1 0.1", "insert a1 0.0"])
    try context.delete(try student("a2", context))
    try context.processPendingChanges()
    #expect(mirror.objects.map(\.studentId) == ["a1", "b1"])
  }

  @Test("23: objects of several stores keep their order when a save gives them their keys")
  func stores() throws {
    let stack = try stack()
    let second = try stack.coordinator.addPersistentStore(.inMemory)
    let controller = Controller(
      fetchRequest: FetchRequest(sortedBy: [SortKey("studentName")]), managedObjectContext: stack.context)
    let mirror = ResultsMirror<Student> { $0.studentId }
    controller.delegate = mirror
    try controller.performFetch()
    mirror.load(controller)
    for (id, store) in [("m1", stack.store), ("m2", second), ("m3", stack.store), ("m4", second)] {
      stack.context.assign(try stack.context.student(id), to: store)
    }
    try stack.context.save()
    #expect(mirror.objects == (try stack.context.fetch(controller.fetchRequest)))
    #expect(mirror.objects.map(\.studentId) != ["a1", "a2", "b1", "n1", "m1", "m2", "m3", "m4"])
  }

  @Test("23: the delegate may change and fetch while it is told of a change")
  func reentrancy() throws {
    let stack = try stack()
    defer { withExtendedLifetime(stack) {} }
    let context = stack.context
    let (controller, mirror) = try followed(context)
    var isFirst = true
    mirror.onWillChange = {
      guard isFirst else { return }
      isFirst = false
      #expect(throws: Never.self) {
        _ = try context.student("n5")
        _ = try context.fetch(FetchRequest<Student>())
      }
    }
    _ = try context.student("n3")
    try context.processPendingChanges()
    #expect(mirror.objects.map(\.studentId) == ["n1", "n3", "n5", "a1", "a2", "b1"])
    #expect(mirror.objects == controller.fetchedObjects)
  }

  @Test("23: without a delegate the results stay as they were fetched; a later one hears of all that it missed")
  func withoutDelegate() throws {
    let stack = try stack()
    defer { withExtendedLifetime(stack) {} }
    let context = stack.context
    let (controller, mirror) = try followed(context)
    controller.delegate = nil
    _ = try context.student("n2")
    try context.processPendingChanges()
    #expect(controller.fetchedObjects?.count == 4)
    controller.delegate = mirror
    _ = try context.student("n3")
    try context.processPendingChanges()
    #expect(Set(mirror.events) == ["insert n2 0.1", "insert n3 0.2"])
  }

  @Test("23: a request that cannot be followed is an error that says why")
  func invalid() throws {
    let stack = try stack()
    defer { withExtendedLifetime(stack) {} }
    let context = stack.context
    func message(_ request: FetchRequest<Student>, _ section: String?) -> String? {
      let controller = Controller(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section)
      do {
        try controller.performFetch()
        return nil
      } catch {
        return "\(error)"
      }
    }
    let byID = [SortKey("studentId")]
    #expect(message(FetchRequest(sortedBy: byID), nil) == nil)
    // The notes' example: sections by class, but in the order of the numbers.
    let unordered = message(FetchRequest(sortedBy: byID), "student_class.classNames")
    #expect(unordered?.contains("out of order") == true && unordered?.contains("'studentId'") == true)
    let object = message(FetchRequest(sortedBy: byID), "student_class")
    #expect(object?.contains("'student_class' of Students") == true)
    #expect(
      message(FetchRequest(sortedBy: Self.byClass), "student_course.courseName")?.contains("one attribute") == true)
    #expect(message(FetchRequest(sortedBy: Self.byClass), "class")?.contains("'class'") == true)
    #expect(message(FetchRequest(), nil)?.contains("order") == true)
  }

  @Test("23: a controller holds neither its delegate nor the context's other objects")
  func memory() throws {
    let stack = try stack()
    weak var gone: Controller?
    do {
      let (controller, _) = try followed(stack.context)
      gone = controller
      #expect(controller.delegate == nil)
    }
    #expect(gone == nil)
    _ = try stack.context.student("n2")
    try stack.context.processPendingChanges()
  }
}
