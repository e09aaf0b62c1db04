import Foundation
import ObjectGraph
import SampleModels
import Synchronization
import Testing

/// Semantics 13 to 19, 21, 22, 26 and 27: deletion, validation, several contexts.
@Suite struct GraphSemanticsTests {
  @Test("13: nullify, cascade and deny")
  func deleteRules() throws {
    let stack = try Stack()
    let context = stack.context
    let home = try context.schoolClass(1)
    let (student, course) = (try context.student("S1"), try context.course(1))
    student.schoolClass = home
    student.courses = [course]
    _ = try context.score(1, of: student, in: course)
    try context.save()
    try context.delete(home)
    #expect(throws: ObjectGraphError.self) { try context.save() }
    context.rollback()
    try context.delete(student)
    try context.save()
    #expect(try context.count(for: FetchRequest<Score>()) == 0)
    #expect(course.students.isEmpty && home.students.isEmpty)
    try context.delete(home)
    try context.save()
    #expect(try stack.otherContext().count(for: FetchRequest<SchoolClass>()) == 0)
    #expect(try stack.otherContext().fetch(FetchRequest<Course>()).first?.students == [])
  }

  @Test("13: no action leaves a reference that leads nowhere; cascades over a cycle end")
  func noActionAndCycles() throws {
    func node(_ rule: DeleteRule) throws -> ManagedObjectModel {
      try ManagedObjectModel([
        EntityDescription(
          "Node", attributes: [AttributeDescription("name", .string)],
          relationships: [
            RelationshipDescription("next", to: "Node", inverse: "previous", deleteRule: rule),
            RelationshipDescription("previous", to: "Node", inverse: "next", deleteRule: rule),
          ])
      ])
    }
    for rule in [DeleteRule.noAction, .cascade] {
      let stack = try Stack(model: try node(rule))
      let nodes = try (0..<3).map { _ in try stack.context.insert("Node") }
      let next = try nodes[0].entity.relationship("next")
      for number in 0..<3 { try nodes[number].set(next, to: nodes[(number + 1) % 3]) }
      try stack.context.save()
      try stack.context.delete(nodes[1])
      try stack.context.save()
      let other = stack.otherContext()
      let left = try other.fetch(FetchRequest<ManagedObject>("Node"))
      #expect(left.count == (rule == .cascade ? 0 : 2))
      guard rule == .noAction else { continue }
      let dangling = try #require(try left[0].object(next))
      #expect(try dangling.value(forKey: "name") == nil)
      other.reset()
      other.shouldDeleteInaccessibleFaults = false
      let again = try #require(try other.fetch(FetchRequest<ManagedObject>("Node")).first)
      #expect(throws: ObjectGraphError.self) { try again.object(next)?.value(forKey: "name") }
    }
  }

  @Test("14: every failure is in one error, and nothing is written")
  func validation() throws {
    let stack = try Stack()
    _ = try stack.context.insert(Student.self)
    let score = try stack.context.insert(Score.self)
    score.score = 101
    stack.clearStatements()
    let error = #expect(throws: ObjectGraphError.self) { try stack.context.save() }
    guard case .validation(let failures) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      Set(failures.map { "\($0.entity).\($0.key)" }) == [
        "Students.studentId", "Students.studentName", "Scores.scoreId", "Scores.score", "Scores.semester",
      ])
    #expect(stack.statements.isEmpty)
  }

  @Test("15: a student has one score in a course and semester")
  func uniqueness() throws {
    let stack = try Stack()
    let (student, course) = (try stack.context.student("S1"), try stack.context.course(1))
    _ = try stack.context.score(1, of: student, in: course)
    try stack.context.save()
    let second = try stack.context.score(2, of: student, in: course)
    let error = #expect(throws: ObjectGraphError.self) { try stack.context.save() }
    guard case .constraints(let conflicts) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.objectID) == [second.objectID])
    #expect(conflicts[0].constraint == ["score_student", "score_course", "semester"])
    second.semester = "2026-2"
    try stack.context.save()
    #expect(try stack.otherContext().count(for: FetchRequest<Score>()) == 2)
    let third = try stack.context.score(3, of: student, in: course, semester: "2026-2")
    stack.context.mergePolicy = .mergeByPropertyObjectTrump
    try stack.context.save()
    #expect(third.managedObjectContext == nil && second.scoreId == 3)
    #expect(try stack.otherContext().count(for: FetchRequest<Score>()) == 2)
  }

  @Test("16: contexts with queues of their own, re-entered without waiting for themselves")
  func queues() throws {
    let stack = try Stack()
    let context = ManagedObjectContext(stack.coordinator)
    let count = try context.performAndWait {
      try context.performAndWait { _ = try context.student("S1") }
      try context.save()
      return try context.count(for: FetchRequest<Student>())
    }
    #expect(count == 1)
  }

  #if DEBUG
    @Test("16: use off the queue stops a debug build")
    func offQueue() async {
      await #expect(processExitsWith: .failure) {
        let stack = try Stack()
        let context = ManagedObjectContext(stack.coordinator)
        _ = try context.student("S1")
      }
    }
  #endif

  @Test("17: a context takes over what another has saved, and keeps its own changes of other keys")
  func merging() throws {
    let stack = try Stack()
    let (updated, deleted) = (try stack.context.student("S1", "old"), try stack.context.student("S2"))
    try stack.context.save()
    let main = stack.otherContext()
    let mine = try main.fetch(FetchRequest<Student>(sortedBy: [SortKey("studentId")]))
    #expect(mine.map(\.studentName) == ["old", "Ada"])
    mine[0].studentDes = "mine"
    let saved = Mutex<SaveChanges?>(nil)
    let token = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveNotification, object: stack.context, queue: nil
    ) { notification in saved.withLock { $0 = SaveChanges(notification) } }
    updated.studentName = "new"
    let inserted = try stack.context.student("S3", "third")
    try stack.context.delete(deleted)
    try stack.context.save()
    NotificationCenter.default.removeObserver(token)
    try main.mergeChanges(fromContextDidSave: try #require(saved.withLock { $0 }))
    #expect(mine[0].studentName == "new" && mine[0].studentDes == "mine" && mine[0].isUpdated)
    #expect(mine[1].managedObjectContext == nil)
    #expect((main.object(with: inserted.objectID) as? Student)?.studentName == "third")
    try main.save()
    #expect(
      try stack.otherContext().fetch(FetchRequest<Student>(where: Property("studentId") == "S1")).first?.studentDes
        == "mine")
  }

  @Test("18: IDs lead to equal objects in other contexts, and through URIs")
  func objectIDs() throws {
    let stack = try Stack()
    let student = try stack.context.student("S1")
    try stack.context.save()
    let other = stack.otherContext()
    let there = try #require(try other.existingObject(with: student.objectID) as? Student)
    #expect(there !== student && there.studentId == "S1")
    let uri = student.objectID.uriRepresentation
    #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == student.objectID)
    try stack.context.delete(student)
    try stack.context.save()
    #expect(try stack.otherContext().existingObject(with: there.objectID) == nil)
  }

  @Test("19: find or create finds what it has created")
  func findOrCreate() throws {
    let stack = try Stack()
    func findOrCreate(_ id: String) throws -> Student {
      let found = try stack.context.fetch(FetchRequest<Student>(where: Property("studentId") == id, limit: 1)).first
      return try found ?? stack.context.student(id)
    }
    let first = try findOrCreate("S1")
    #expect(try findOrCreate("S1") === first)
    try stack.context.save()
    #expect(try findOrCreate("S1") === first)
    #expect(try stack.context.count(for: FetchRequest<Student>()) == 1)
  }

  @Test("21: a store in WAL mode has its log beside it, closing writes it back, and a lost main file is noticed")
  func files() throws {
    let stack = try Stack()
    _ = try stack.context.student("S1")
    try stack.context.save()
    let files = FileManager.default
    #expect(
      try Set(files.contentsOfDirectory(atPath: stack.directory.path)) == ["store.db", "store.db-wal", "store.db-shm"])
    let lost = stack.directory.appendingPathComponent("lost.db")
    try files.copyItem(atPath: "\(stack.url.path)-wal", toPath: "\(lost.path)-wal")
    #expect(throws: ObjectGraphError.self) {
      try PersistentStoreCoordinator(stack.model).addPersistentStore(.sqlite, at: lost)
    }
    try files.removeItem(atPath: "\(lost.path)-wal")
    try stack.coordinator.remove(stack.store)
    #expect(try files.contentsOfDirectory(atPath: stack.directory.path) == ["store.db"])
  }

  @Test("22: properties by name and by path")
  func keyValueAccess() throws {
    let stack = try Stack()
    let student = try stack.context.student("S1")
    student.schoolClass = try stack.context.schoolClass(1, "7B")
    #expect(try student.value(forKeyPath: "student_class.classNames") as? String == "7B")
    try student.setValue("Grace", forKey: "studentName")
    #expect(student.studentName == "Grace")
    #expect(throws: ObjectGraphError.self) { try student.value(forKey: "nickname") }
    #expect(throws: ObjectGraphError.self) { try student.setValue(5, forKey: "studentName") }
    student["nickname"] = "x"
    #expect(throws: ObjectGraphError.self) { try stack.context.save() }
    try stack.context.save()
  }

  @Test("26: a batched fetch reads a batch at a time")
  func batches() throws {
    let stack = try Stack()
    for number in 1...100 { _ = try stack.context.student("S\(number)") }
    try stack.context.save()
    let request = FetchRequest<Student>()
    request.fetchBatchSize = 20
    let other = stack.otherContext()
    let students = try other.fetchInBatches(request)
    stack.clearStatements()
    #expect(students.count == 100 && students[0].studentId == "S1" && students[19].studentId == "S20")
    #expect(stack.selects.count == 1)
    #expect(students.map(\.studentId) == (1...100).map { "S\($0)" })
    #expect(stack.selects.count == 5)
    #expect(other.registeredObjects.count == 20)
  }

  @Test("27: prefetching reads what a relationship leads to in one go")
  func prefetching() throws {
    let stack = try Stack()
    let classes = try (0..<50).map { try stack.context.schoolClass($0) }
    for number in 0..<1_000 { try stack.context.student("S\(number)").schoolClass = classes[number % 50] }
    try stack.context.save()
    func walk(_ paths: [String]) throws -> Int {
      let request = FetchRequest<Student>()
      request.relationshipKeyPathsForPrefetching = paths
      let context = stack.otherContext()
      stack.clearStatements()
      let students = try context.fetch(request)
      #expect(Set(students.compactMap { $0.schoolClass?.classId }).count == 50)
      return stack.selects.count
    }
    #expect(try walk(["student_class"]) == 2)
    let faults = try walk([])
    #expect(51...1_001 ~= faults)
  }
}
