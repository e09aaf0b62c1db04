import ObjectGraph
import TestSupport
import Testing

/// Semantics 1 to 4 and 6 of the object graph: the context, identity, change tracking, keys, versions.
@Suite struct CoreSemanticsTests {
  private let stack: Stack
  private var context: ManagedObjectContext { stack.context }

  init() throws { stack = try Stack() }

  @Test("1: a context is a scratch pad, and a save is one transaction")
  func scratchPad() throws {
    for number in 1...100 { _ = try context.student("S\(number)") }
    #expect(context.insertedObjects.count == 100)
    #expect(try stack.otherContext().studentCount() == 0)
    #expect(try Database.number(stack.url, "SELECT COUNT(*) FROM ZSTUDENTS") == 0)
    #expect(try Child.output("graph-child", "sqlite", stack.url.path, "count") == "0")
    stack.clearStatements()
    try context.save()
    // The first one takes the keys.
    #expect(stack.statements.filter { $0.hasPrefix("BEGIN") }.count == 2)
    #expect(stack.statements.filter { $0 == "COMMIT" }.count == 2)
    #expect(stack.statements.filter { $0.hasPrefix("INSERT INTO ZSTUDENTS") }.count == 100)
    #expect(try Database.number(stack.url, "SELECT COUNT(*) FROM ZSTUDENTS") == 100)
    #expect(try Child.output("graph-child", "sqlite", stack.url.path, "count") == "100")
    #expect(!context.hasChanges)
    stack.clearStatements()
    try context.save()
    #expect(stack.statements == [])
  }

  @Test("2: an object that nobody holds is forgotten, and made anew")
  func forgotten() throws {
    try context.savedStudent("S1")
    #expect(context.registeredObjects.isEmpty)
    weak var former: Student?
    func look() throws {
      let student = try #require(try context.fetch(FetchRequest<Student>()).first)
      former = student
      #expect(student.studentId == "S1")
    }
    try look()
    #expect(former == nil)
    // A changed one is held until it is saved.
    func change() throws {
      let student = try #require(try context.fetch(FetchRequest<Student>()).first)
      former = student
      student.studentDes = "changed"
    }
    try change()
    #expect(former?.studentDes == "changed")
    try context.save()
    #expect(former == nil)
    #expect(try context.fetch(FetchRequest<Student>()).first?.studentDes == "changed")
  }

  @Test("3: what was inserted, updated and deleted is known; a deletion names the version that was read (fact 9)")
  func changeTracking() throws {
    let (kept, changed, deleted) = (try context.student("S1"), try context.student("S2"), try context.student("S3"))
    try context.save()
    #expect(!context.hasChanges && !kept.hasChanges)
    changed.studentName = "Grace"
    try context.delete(deleted)
    let inserted = try context.student("S4")
    #expect(context.hasChanges)
    #expect(context.insertedObjects == [inserted])
    #expect(context.updatedObjects == [changed])
    #expect(context.deletedObjects == [deleted])
    #expect(inserted.isInserted && changed.isUpdated && deleted.isDeleted && !kept.hasChanges)
    #expect(changed.changedKeys == ["studentName"])
    // A changed one that is deleted is only deleted.
    try context.delete(changed)
    #expect(context.updatedObjects == [])
    #expect(context.deletedObjects == [deleted, changed])
    #expect(changed.isDeleted && !changed.isUpdated)
    // A new one that is deleted has never been.
    try context.delete(inserted)
    #expect(context.insertedObjects == [])
    #expect(context.deletedObjects == [deleted, changed])
    stack.clearStatements()
    try context.save()
    #expect(stack.statements.filter { $0.hasPrefix("INSERT") || $0.hasPrefix("UPDATE") } == [])
    let deletions = stack.statementTexts.filter { $0.hasPrefix("DELETE FROM ZSTUDENTS") }
    #expect(deletions.count == 2 && deletions.allSatisfy { $0.contains("Z_OPT = ") })
    #expect(!context.hasChanges)
    for gone in [deleted, changed, inserted] { #expect(gone.managedObjectContext == nil && !gone.hasChanges) }
    #expect(try context.fetch(FetchRequest<Student>()) == [kept])
  }

  @Test("3, 6: a save writes what changed, and Z_OPT one above the version read (fact 9); nothing if nothing differs")
  func changedColumns() throws {
    let student = try context.student("S1")
    student.studentDes = "before"
    try context.save()
    stack.clearStatements()
    student.studentDes = "after"
    try context.save()
    #expect(
      stack.statements.filter { $0.hasPrefix("UPDATE") } == [
        "UPDATE ZSTUDENTS SET ZSTUDENTDES = 'after', Z_OPT = 2 WHERE Z_PK = 1 AND Z_OPT = 1"
      ])
    stack.clearStatements()
    student.studentDes = "other"
    student.studentDes = "after"
    #expect(!context.hasChanges)
    #expect(!student.hasPersistentChangedValues)
    try context.save()
    #expect(stack.statements == [])
    #expect(context.updatedObjects == [])
    student.studentName = "Grace"
    student.studentDes = nil
    try context.save()
    #expect(
      stack.statements.filter { $0.hasPrefix("UPDATE") } == [
        "UPDATE ZSTUDENTS SET ZSTUDENTNAME = 'Grace', ZSTUDENTDES = NULL, Z_OPT = 3 WHERE Z_PK = 1 AND Z_OPT = 2"
      ])
  }

  @Test("3: relationships set back are no change either")
  func relationshipsSetBack() throws {
    let student = try context.student("S1")
    let (first, second) = (try context.schoolClass(1), try context.schoolClass(2))
    let course = try context.course(1)
    student.schoolClass = first
    try context.save()
    stack.clearStatements()
    student.schoolClass = second
    student.courses = [course]
    #expect(context.hasChanges)
    student.schoolClass = first
    student.courses = []
    #expect(!context.hasChanges)
    try context.save()
    #expect(stack.statements.filter { !$0.hasPrefix("SELECT") } == [])
  }

  @Test("4: keys ascend from 1 and are never used again")
  func keys() throws {
    let students = try (1...3).map { try context.student("S\($0)") }
    let temporary = students.map(\.objectID)
    #expect(temporary.allSatisfy { $0.isTemporary })
    #expect(Set(temporary).count == 3)
    try context.save()
    #expect(students.allSatisfy { !$0.objectID.isTemporary })
    let all = "SELECT Z_PK, ZSTUDENTID FROM ZSTUDENTS ORDER BY Z_PK"
    let last = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Students'"
    #expect(try Database.rows(stack.url, all) == [["1", "S1"], ["2", "S2"], ["3", "S3"]])
    #expect(try Database.number(stack.url, last) == 3)
    for student in students { try context.delete(student) }
    try context.save()
    let fourth = try context.savedStudent("S4")
    #expect(try Database.rows(stack.url, all) == [["4", "S4"]])
    #expect(try Database.number(stack.url, last) == 4)
    #expect(fourth.objectID.uriRepresentation.lastPathComponent == "p4")
    // Nor in a later session.
    try context.delete(fourth)
    try context.save()
    let later = try stack.reopened()
    try later.savedStudent("S5")
    #expect(try Database.rows(stack.url, all) == [["5", "S5"]])
  }

  @Test("4: a save that fails gives no permanent IDs, and the next one does")
  func failedSaveAndKeys() throws {
    let (good, bad) = (try stack.context.student("S1"), try stack.context.student("S2"))
    try bad.setValue(nil, forKey: "studentName")
    let former = good.objectID
    #expect(throws: ObjectGraphError.self) { try stack.context.save() }
    #expect(good.objectID == former && former.isTemporary && good.isInserted)
    #expect(stack.context.object(with: former) === good)
    bad.studentName = "Bob"
    try stack.context.save()
    #expect(try Database.rows(stack.url, "SELECT Z_PK FROM ZSTUDENTS ORDER BY 1") == [["1"], ["2"]])
  }
}
