import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 23: the fetched results controller.
@Suite struct FetchedResultsTests {
  private typealias Controller = FetchedResultsController<Student>

  /// Saved students in three classes (a1 and a2 in 7A, b1 in 7B, none in 7C, n1 in no class), and a controller that is
  /// followed by a mirror.
  private final class Table {
    let stack: Stack
    let context: ManagedObjectContext
    let controller: Controller
    let mirror = ResultsMirror<Student> { $0.studentId }

    /// By default all students, in sections by class.
    init(
      _ stack: Stack? = nil, where predicate: FetchPredicate? = nil, sortedBy order: [SortKey] = byClass,
      section: String? = "student_class.classNames", inOtherContext: Bool = false
    ) throws {
      self.stack = try stack ?? school()
      let stack = self.stack
      context = inOtherContext ? stack.otherContext() : stack.context
      controller = Controller(
        fetchRequest: FetchRequest(where: predicate, sortedBy: order), managedObjectContext: context,
        sectionNameKeyPath: section)
      try mirror.follow(controller)
    }

    func events(_ edit: () throws -> Void) throws -> [String] {
      try edit()
      try context.processPendingChanges()
      #expect(mirror.objects == controller.fetchedObjects)
      #expect(mirror.sections.map(\.name) == controller.sections?.map(\.name))
      return mirror.events
    }

    /// The students in the mirror after an edit.
    func shown(_ edit: () throws -> Void = {}) throws -> [String] {
      _ = try events(edit)
      return mirror.objects.map(\.studentId)
    }
  }

  private static let byClass = [SortKey("student_class.classNames"), SortKey("studentId")]
  private static let byID = [SortKey("studentId")]

  private static func school() throws -> Stack {
    let stack = try Stack()
    let classes = try ["7A", "7B", "7C"].enumerated().map { try stack.context.schoolClass($0.offset, $0.element) }
    for (id, classIndex) in [("a1", 0), ("a2", 0), ("b1", 1), ("n1", nil)] as [(String, Int?)] {
      try stack.context.student(id).schoolClass = classIndex.map { classes[$0] }
    }
    try stack.context.save()
    return stack
  }

  @Test("23: sections, their names and objects, and index paths")
  func sections() throws {
    let table = try Table()
    let (context, controller) = (table.context, table.controller)
    #expect(controller.sections?.map(\.name) == ["", "7A", "7B"])
    let second = IndexPath(item: 1, section: 1)
    #expect(controller.object(at: second)?.studentId == "a2")
    #expect(controller.indexPath(forObject: try context.findStudent("a2")) == second)
    for path in [IndexPath(item: 2, section: 1), IndexPath(item: 0, section: 3), IndexPath(item: -1, section: 0), [1]] {
      #expect(controller.object(at: path) == nil)
    }
    #expect(controller.indexPath(forObject: try context.student("new")) == nil)
  }

  @Test("23: without a section key there is one section, even if it is empty")
  func oneSection() throws {
    let table = try Table(
      where: Property("studentName") == "Bob", sortedBy: [SortKey("studentId", ascending: false)], section: nil)
    #expect(table.controller.sections?.map(\.objects.count) == [0])
    #expect(
      try table.events { for id in ["x1", "x3", "x2"] { _ = try table.context.student(id, "Bob") } }
        == ["insert x3 0.0", "insert x2 0.1", "insert x1 0.2"])
    let unfetched = Controller(fetchRequest: FetchRequest(sortedBy: Self.byID), managedObjectContext: table.context)
    #expect(unfetched.fetchedObjects == nil && unfetched.sections == nil)
  }

  @Test("23: insert, delete, update and move, each with its places before and after (facts 31, 33)")
  func events() throws {
    let table = try Table()
    let context = table.context
    let first = try context.findClass("7A")
    #expect(try table.events { try context.student("a0").schoolClass = first } == ["insert a0 1.0"])
    #expect(try table.events { try context.findStudent("a1").studentDes = "changed" } == ["update a1 1.1 to 1.1"])
    #expect(try table.events { try context.findStudent("a0").studentId = "a9" } == ["move a9 1.0 to 1.2"])
    // The order's value changes, the place does not.
    #expect(try table.events { try context.findStudent("a9").studentId = "a3" } == ["update a3 1.2 to 1.2"])
    #expect(try table.events { try context.delete(context.findStudent("a1")) } == ["delete a1 1.0"])
    // A save is no change.
    let before = table.mirror.counts
    try context.save()
    #expect(table.mirror.counts == before)
    // Two neighbors that swap are one move and one update.
    let (a2, a3) = (try context.findStudent("a2"), try context.findStudent("a3"))
    let swap = try table.events { (a2.studentId, a3.studentId) = (a3.studentId, a2.studentId) }
    #expect(swap.map { $0.prefix(4) } == ["move", "upda"])
  }

  @Test("23: sections come and go with their objects, and move with their name")
  func sectionEvents() throws {
    let table = try Table()
    let context = table.context
    #expect(
      try table.events { try context.findStudent("b1").schoolClass = context.findClass("7C") }
        == ["delete section 2 '7B'", "insert section 2 '7C'", "move b1 2.0 to 2.0"])
    #expect(
      try table.events { try context.findClass("7A").classNames = "9A" }
        == ["delete section 1 '7A'", "insert section 2 '9A'", "move a1 1.0 to 2.0", "move a2 1.1 to 2.1"])
    // Two classes of one name are one section.
    #expect(
      try table.events { try context.findClass("7C").classNames = "9A" }
        == ["delete section 1 '7C'", "move b1 1.0 to 1.2"])
  }

  @Test("23: a merge shows the saves of another context, and the controller holds only the objects that it shows")
  func merging() throws {
    let table = try Table(where: Property("studentName") == "Ada", inOtherContext: true)
    let other = table.stack.context
    let (a1, n1) = (try other.findStudent("a1"), try other.findStudent("n1"))
    a1.studentName = "Eva"
    try other.delete(n1)
    _ = try other.student("n2")
    let shown = try table.shown { try table.context.mergeChanges(fromContextDidSave: other.saveAnnounced()) }
    #expect(shown == ["n2", "a2", "b1"])
    #expect(!table.context.registeredObjects.contains { $0.objectID == a1.objectID })
  }

  @Test("23: a change costs no more than the rows that it is about")
  func cost() throws {
    let stack = try Stack()
    let classes = try (0..<10).map { try stack.context.schoolClass($0, "C\($0)") }
    for number in 0..<500 { try stack.context.student("S\(number)").schoolClass = classes[number % 10] }
    try stack.context.save()
    stack.clearStatements()
    let table = try Table(stack, inOtherContext: true)
    let controller = table.controller
    // The students and, in one statement, their classes.
    #expect(stack.selects.count == 2)
    let first = try #require(controller.object(at: IndexPath(item: 0, section: 0)))
    stack.clearStatements()
    let move = try table.events {
      first.studentName = "Eva"
      first.schoolClass = controller.object(at: IndexPath(item: 0, section: 5))?.schoolClass
    }
    #expect(move == ["move S0 0.0 to 5.0"])
    // The students of the two classes are looked up once.
    #expect(stack.statements.count <= 4)
    stack.clearStatements()
    for _ in 0..<20 {
      for section in [0, 5] {
        first.schoolClass = controller.object(at: IndexPath(item: 5, section: section))?.schoolClass
        try table.context.processPendingChanges()
      }
    }
    #expect(stack.statements.isEmpty)
  }

  @Test("23: after a reset the results are empty until the next fetch")
  func reset() throws {
    let table = try Table()
    table.context.reset()
    #expect(table.mirror.sections.isEmpty && table.controller.fetchedObjects == nil)
    try table.controller.performFetch()
    #expect(table.controller.fetchedObjects?.count == 4)
  }

  @Test("23: objects of several stores keep their order when a save gives them their keys")
  func stores() throws {
    let table = try Table(sortedBy: [SortKey("studentName")], section: nil)
    let (context, store) = (table.context, table.stack.store)
    let second = try table.stack.coordinator.addPersistentStore(.inMemory)
    for (id, store) in [("m1", store), ("m2", second), ("m3", store), ("m4", second)] {
      context.assign(try context.student(id), to: store)
    }
    try context.save()
    #expect(table.mirror.objects == (try context.fetch(table.controller.fetchRequest)))
    #expect(try table.shown() != ["a1", "a2", "b1", "n1", "m1", "m2", "m3", "m4"])
  }

  @Test("23: the delegate may change and fetch objects during a change")
  func reentrancy() throws {
    let table = try Table()
    let context = table.context
    var isFirst = true
    table.mirror.onWillChange = {
      guard isFirst else { return }
      isFirst = false
      #expect(throws: Never.self) {
        _ = try context.student("n5")
        _ = try context.fetch(FetchRequest<Student>())
      }
    }
    #expect(try table.shown { _ = try context.student("n3") } == ["n1", "n3", "n5", "a1", "a2", "b1"])
  }

  @Test("23: without a delegate the results stay as they were fetched; a later delegate gets all missed events")
  func withoutDelegate() throws {
    let table = try Table()
    table.controller.delegate = nil
    _ = try table.context.student("n2")
    try table.context.processPendingChanges()
    #expect(table.controller.fetchedObjects?.count == 4)
    table.controller.delegate = table.mirror
    #expect(Set(try table.events { _ = try table.context.student("n3") }) == ["insert n2 0.1", "insert n3 0.2"])
  }

  @Test("23: a request that cannot be followed is an error that says why")
  func invalid() throws {
    let stack = try Self.school()
    func message(_ request: FetchRequest<Student>, _ section: String?) -> String {
      let controller = Controller(
        fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: section)
      return errorText { try controller.performFetch() } ?? ""
    }
    #expect(message(FetchRequest(sortedBy: Self.byID), nil) == "")
    // Sections by class, but in the order of the numbers.
    let unordered = message(FetchRequest(sortedBy: Self.byID), "student_class.classNames")
    #expect(unordered.contains("out of order") && unordered.contains("'studentId'"))
    #expect(message(FetchRequest(sortedBy: Self.byID), "student_class").contains("'student_class' of Students"))
    #expect(message(FetchRequest(sortedBy: Self.byClass), "student_course.courseName").contains("one attribute"))
    #expect(message(FetchRequest(sortedBy: Self.byClass), "class").contains("'class'"))
    #expect(message(FetchRequest(), nil).contains("order"))
  }

  @Test("23: a controller does not hold its delegate, and the context does not hold the controller")
  func memory() throws {
    let stack = try Self.school()
    weak var gone: Controller?
    do {
      let controller = Controller(fetchRequest: FetchRequest(sortedBy: Self.byID), managedObjectContext: stack.context)
      do {
        let mirror = ResultsMirror<Student> { $0.studentId }
        try mirror.follow(controller)
      }
      gone = controller
      #expect(controller.delegate == nil)
    }
    #expect(gone == nil)
    _ = try stack.context.student("n2")
    try stack.context.processPendingChanges()
  }
}
