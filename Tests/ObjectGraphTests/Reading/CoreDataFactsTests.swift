import Dispatch
import Foundation
import ObjectGraph
import TestSupport
import Testing

/// What is known of Core Data's statements and calls, fact by fact, against this engine: each test names the fact and how
/// sure it is (A is Apple's text, B somebody's log or test). Statements are counted by ``StoreOptions/sqlTrace``.
@Suite struct CoreDataFactsTests {
  /// Students S0 to S9 of two classes in three courses, with two scores each; nothing of them in memory.
  private func school() throws -> Stack {
    let stack = try Stack()
    let context = ManagedObjectContext(stack.coordinator, .confinement)
    let classes = try (0..<2).map { try context.schoolClass($0) }
    let courses = try (0..<3).map { try context.course($0) }
    for number in 0..<10 {
      let student = try context.student("S\(number)")
      student.schoolClass = classes[number % 2]
      student.courses = Set(courses.prefix(2))
      for place in 0..<2 { _ = try context.score(2 * number + place, of: student, in: courses[place]) }
    }
    try context.save()
    stack.clearStatements()
    return stack
  }

  private var inOrder: FetchRequest<Student> { FetchRequest(sortedBy: [SortKey("studentId")]) }

  private func ids(_ stack: Stack) throws -> [ManagedObjectID] {
    let ids = try stack.context.fetchObjectIDs(FetchRequest<Student>(sortedBy: [SortKey("studentId")]))
    stack.clearStatements()
    return ids
  }

  // MARK: - Concurrency

  @Test("fact 1 (A): contexts fetch and fault while another one's commit is under way, in WAL mode")
  func readersBesideWriter() throws {
    let directory = try Directory()
    let coordinator = PersistentStoreCoordinator(try Students.model())
    let (inside, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var options = StoreOptions()
    options.sqlTrace = { trace in
      guard trace.boundSQL.contains("'slow'"), trace.sql.hasPrefix("INSERT") else { return }
      inside.signal()
      _ = free.wait(timeout: .now() + 10)
    }
    try coordinator.addPersistentStore(.sqlite, at: directory.url.appendingPathComponent("store.db"), options: options)
    let reading = ManagedObjectContext(coordinator, .confinement)
    let first = try reading.student("S1")
    try reading.save()
    let id = first.objectID
    let saved = DispatchSemaphore(value: 0)
    Thread {
      let context = ManagedObjectContext(coordinator, .confinement)
      _ = try? context.student("S2", "slow")
      try? context.save()
      saved.signal()
    }.start()
    #expect(inside.wait(timeout: .now() + 10) == .success)
    // None of these waits for the commit, which is held up.
    let peer = ManagedObjectContext(coordinator, .confinement)
    #expect(try peer.fetch(FetchRequest<Student>()).count == 1)
    #expect((peer.object(with: id) as? Student)?.studentId == "S1")
    #expect(saved.wait(timeout: .now()) == .timedOut)
    free.signal()
    saved.wait()
    #expect(try peer.count(for: FetchRequest<Student>()) == 2)
  }

  @Test("fact 2 (A): the pool is larger than one connection, and its size is an option")
  func poolSize() throws {
    var options = StoreOptions()
    #expect(options.connectionPoolSize > 1)
    options.connectionPoolSize = 1
    let stack = try Stack(options: options)
    #expect(try stack.context.count(for: FetchRequest<Student>()) == 0)
  }

  @Test("fact 5 (A): contexts are unpinned; pinned ones choose their state lazily, and a save moves them on")
  func generations() throws {
    let stack = try school()
    let context = stack.otherContext()
    #expect(context.queryGenerationToken == nil)
    try context.setQueryGenerationFrom(.current)
    #expect(context.queryGenerationToken == .current && stack.statements.isEmpty)
    _ = try stack.context.student("late")
    try stack.context.save()
    // Not before its first read.
    #expect(try context.count(for: FetchRequest<Student>()) == 11)
    _ = try stack.context.student("later")
    try stack.context.save()
    #expect(try context.count(for: FetchRequest<Student>()) == 11)
    _ = try context.course(9)
    try context.save()
    #expect(try context.count(for: FetchRequest<Student>()) == 12)
  }

  // MARK: - Keys and transactions

  /// The statements of a save without their values, but those that read what is there.
  private func transactions(_ stack: Stack, _ body: () throws -> Void) throws -> [String] {
    stack.clearStatements()
    try body()
    return stack.statementTexts
  }

  @Test("fact 7 (B): a save that inserts asks for Z_MAX and raises it before it inserts")
  func keys() throws {
    let stack = try school()
    let statements = try transactions(stack) {
      _ = try stack.context.course(7)
      try stack.context.save()
    }
    func place(_ prefix: String) -> Int? { statements.firstIndex { $0.hasPrefix(prefix) } }
    let (asked, raised) = (place("SELECT Z_MAX FROM Z_PRIMARYKEY"), place("UPDATE Z_PRIMARYKEY SET Z_MAX"))
    let (began, inserted) = (place("BEGIN"), place("INSERT INTO ZCOURSES"))
    // A statement is told of when it has ended.
    #expect(try #require(began) < #require(asked))
    #expect(try #require(asked) < #require(inserted))
    #expect(try #require(raised) < #require(inserted))
    #expect(statements.last == "COMMIT")
  }

  @Test("fact 9 (B): an update and a deletion name the version that was read")
  func versions() throws {
    let stack = try school()
    let students = try stack.context.fetch(inOrder)
    students[0].studentDes = "changed"
    #expect(
      try transactions(stack) { try stack.context.save() }
        .contains("UPDATE ZSTUDENTS SET ZSTUDENTDES = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?"))
    try stack.context.delete(students[1])
    let deletion = try transactions(stack) { try stack.context.save() }.first { $0.hasPrefix("DELETE FROM ZSTUDENTS") }
    #expect(deletion?.contains("Z_OPT = ") == true)
  }

  // MARK: - Faulting

  @Test("fact 12 (B, A): a fault is one SELECT by Z_PK, and none if the coordinator's cache has the row")
  func objectFault() throws {
    let stack = try school()
    let id = try ids(stack)[3]
    let student = try #require(stack.context.object(with: id) as? Student)
    #expect(stack.statements.isEmpty && student.studentId == "S3")
    #expect(stack.statements.count == 1)
    #expect(
      stack.statements[0].contains(
        "FROM ZSTUDENTS t0 WHERE t0.Z_PK = \(id.uriRepresentation.lastPathComponent.dropFirst())"))
    // To-one relationships are no other matter.
    let schoolClass = try #require(student.schoolClass)
    #expect(stack.statements.count == 1 && schoolClass.isFault)
    #expect(schoolClass.classId == 1 && stack.statements.count == 2)
    // Another context finds both rows in the cache.
    let peer = stack.otherContext()
    let twin = try #require(peer.object(with: id) as? Student)
    #expect(twin.isFault && twin.studentId == "S3" && twin.schoolClass?.classId == 1)
    #expect(stack.statements.count == 2)
  }

  @Test("fact 13 (B): a to-many fault is one SELECT of its members' keys, which counting fires; members fault singly")
  func toManyFault() throws {
    let stack = try school()
    let schoolClass = try #require(
      try stack.context.fetch(FetchRequest<SchoolClass>(where: Property("classId") == 0)).first)
    stack.clearStatements()
    #expect(schoolClass.students.count == 5)
    #expect(
      stack.statementTexts == [
        "SELECT t0.ZSTUDENT_CLASS, t0.Z_PK FROM ZSTUDENTS t0 WHERE t0.ZSTUDENT_CLASS = ? ORDER BY 1, 2"
      ])
    let students = Array(schoolClass.students)
    #expect(students.allSatisfy(\.isFault) && stack.statements.count == 1)
    #expect(students.map(\.studentId).sorted() == ["S0", "S2", "S4", "S6", "S8"])
    #expect(stack.statements.count == 6)
    // Many to many: the join table alone.
    #expect(students[0].courses.count == 2)
    #expect(stack.statements.count == 7 && stack.statements[6].contains("FROM Z_"))
    #expect(students[0].courses.allSatisfy(\.isFault) && stack.statements.count == 7)
  }

  @Test("fact 14 (A): prefetching is one fetch for each entity instead of one for each fault")
  func prefetching() throws {
    let stack = try school()
    func statements(_ paths: [String], _ body: (Student) -> Void) throws -> Int {
      let request = FetchRequest<Student>()
      request.relationshipKeyPathsForPrefetching = paths
      let context = stack.otherContext()
      stack.clearStatements()
      for student in try context.fetch(request) { body(student) }
      return stack.statements.count
    }
    func walk(_ student: Student) { _ = (student.schoolClass?.classId, student.scores.map(\.scoreId)) }
    // The students, two classes, ten times the keys of scores, twenty scores.
    #expect(try statements([], walk) == 1 + 2 + 10 + 20)
    #expect(try statements(["student_class", "student_score"], walk) == 3)
    // The pairs of a join table are a statement of their own.
    #expect(try statements(["student_course"]) { _ = $0.courses.map(\.courseId) } == 3)
  }

  @Test("fact 16 (B): a fetch always asks SQLite, and fills the cache")
  func fetching() throws {
    let stack = try school()
    let id = try ids(stack)[0]
    let students = try stack.context.fetch(inOrder)
    #expect(try stack.context.fetch(inOrder) == students && stack.statements.count == 2)
    let peer = stack.otherContext()
    #expect((peer.object(with: id) as? Student)?.studentName == "Ada" && stack.statements.count == 2)
    let far = try stack.reopened()
    try #require(try far.fetch(inOrder).first).studentName = "Grace"
    try far.save()
    stack.clearStatements()
    // The fetch of one context is news to the cache, and so to another context's fault.
    let third = stack.otherContext()
    _ = try third.fetch(FetchRequest<Student>(where: Property("studentId") == "S0"))
    #expect(stack.statements.count == 1)
    let fourth = stack.otherContext()
    #expect((fourth.object(with: id) as? Student)?.studentName == "Grace" && stack.statements.count == 1)
    withExtendedLifetime(students) {}
  }

  @Test("fact 17 (A): batches read the IDs, and then the rows of one batch at a time")
  func batches() throws {
    let stack = try school()
    let request = FetchRequest<Student>(sortedBy: [SortKey("studentId")])
    request.fetchBatchSize = 4
    let students = try stack.context.fetchInBatches(request)
    #expect(stack.statements.count == 1 && stack.statements[0].hasPrefix("SELECT 0, t0.Z_PK FROM"))
    #expect(students.map(\.studentId) == (0..<10).map { "S\($0)" })
    #expect(stack.statements.count == 1 + 3)
  }

  // MARK: - Fetched results controller

  private func followed(_ stack: Stack, by keys: [SortKey], sections: String? = nil) throws -> (
    FetchedResultsController<Student>, Calls
  ) {
    let controller = FetchedResultsController<Student>(
      fetchRequest: FetchRequest(sortedBy: keys), managedObjectContext: stack.context,
      sectionNameKeyPath: sections)
    let calls = Calls()
    controller.delegate = calls
    try controller.performFetch()
    return (controller, calls)
  }

  @Test("fact 31 (A): will change, sections, objects, did change; an update keeps its place, a move implies an update")
  func controllerCalls() throws {
    let stack = try school()
    let (controller, calls) = try followed(
      stack, by: [SortKey("student_class.classId"), SortKey("studentId")], sections: "student_class.classId")
    let students = try stack.context.fetch(inOrder)
    students[1].schoolClass = try stack.context.schoolClass(5)
    students[0].studentDes = "changed"
    students[2].studentId = "S9x"
    try stack.context.processPendingChanges()
    #expect(calls.all.first == "will change" && calls.all.last == "did change")
    let kinds = calls.all.dropFirst().dropLast().map { $0.hasPrefix("section") }
    // Every section before every object.
    #expect(kinds == kinds.sorted { $0 && !$1 } && kinds.first == true)
    // What makes room for others is not told.
    #expect(
      Set(calls.all.filter { $0.hasPrefix("object") }) == ["object move S1", "object update S0", "object move S9x"])
    withExtendedLifetime(controller) {}
  }

  @Test("fact 33 (B): two neighbours that swap are one move and one update")
  func neighbours() throws {
    let stack = try school()
    let (controller, calls) = try followed(stack, by: [SortKey("studentId")])
    let students = try stack.context.fetch(inOrder)
    (students[4].studentId, students[5].studentId) = (students[5].studentId, students[4].studentId)
    try stack.context.processPendingChanges()
    #expect(calls.all.count == 4)
    #expect(calls.all.count { $0.hasPrefix("object move") } == 1)
    #expect(calls.all.count { $0.hasPrefix("object update") } == 1)
    withExtendedLifetime(controller) {}
  }

  /// What a controller tells its delegate, in order.
  private final class Calls: FetchedResultsControllerDelegate {
    private(set) var all: [String] = []

    func controllerWillChangeContent(_ controller: FetchedResultsController<Student>) { all.append("will change") }

    func controller(
      _ controller: FetchedResultsController<Student>, didChange sectionInfo: FetchedResultsSectionInfo<Student>,
      atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
    ) { all.append("section \(type)") }

    func controller(
      _ controller: FetchedResultsController<Student>, didChange object: Student, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) { all.append("object \(type) \(object.studentId)") }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Student>) { all.append("did change") }
  }
}
