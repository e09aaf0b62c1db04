import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 17: a context merges the saves of another one.
@Suite struct MergingTests {
  /// A main context, which is on the screen, and a background context, which saves.
  private struct Screen {
    let stack: Stack
    let main: ManagedObjectContext
    var background: ManagedObjectContext { stack.context }

    /// With students S1 to S3 in the first of two classes.
    init(_ type: StoreType) throws {
      stack = try Stack(type)
      let (home, _) = (try stack.context.schoolClass(1, "1"), try stack.context.schoolClass(2, "2"))
      for number in 1...3 { try stack.context.student("S\(number)").schoolClass = home }
      try stack.context.save()
      stack.context.reset()
      main = stack.otherContext()
    }

    func saveAndMerge() throws { try main.mergeChanges(fromContextDidSave: try background.saveAnnounced()) }
  }

  @Test("17: new objects arrive as faults, deleted ones belong to no context", arguments: Stack.types)
  func insertedAndDeleted(_ type: StoreType) throws {
    let screen = try Screen(type)
    let students = try screen.main.students()
    let home = try screen.main.findClass("1")
    #expect(home.students == Set(students))
    let new = try screen.background.student("S4", "New", in: screen.background.findClass("1"))
    try screen.background.delete(try screen.background.findStudent("S2"))
    let changes = try screen.background.saveAnnounced()
    let id = new.objectID
    #expect(changes.inserted == [id] && changes.deleted == [students[1].objectID])
    #expect(!screen.main.registeredObjects.contains { $0.objectID == id })

    try screen.main.mergeChanges(fromContextDidSave: changes)
    let arrived = try #require(screen.main.object(with: id) as? Student)
    #expect(arrived.isFault)
    #expect(students[1].managedObjectContext == nil)
    #expect(throws: ObjectGraphError.self) { try students[1].setValue("x", forKey: "studentName") }
    #expect(arrived.studentName == "New" && arrived.schoolClass === home)
    #expect(home.students == [students[0], students[2], arrived])
    #expect(!screen.main.hasChanges)
  }

  @Test("17: a change that both made alike is no change any more", arguments: Stack.types)
  func alike(_ type: StoreType) throws {
    let screen = try Screen(type)
    let shown = try screen.main.findStudent("S1")
    (shown.studentDes, shown.schoolClass) = ("same", try screen.main.findClass("2"))
    let theirs = try screen.background.findStudent("S1")
    (theirs.studentDes, theirs.schoolClass) = ("same", try screen.background.findClass("2"))
    try screen.saveAndMerge()
    #expect(shown.studentDes == "same" && shown.schoolClass?.students == [shown])
    #expect(shown.changedKeys == [] && !screen.main.hasChanges)
  }

  @Test("17: both sides of relationships are merged, with what was changed here on top", arguments: Stack.types)
  func relationships(_ type: StoreType) throws {
    let screen = try Screen(type)
    let shown = try screen.main.students()
    let (first, second) = (try screen.main.findClass("1"), try screen.main.findClass("2"))
    #expect(first.students.count == 3 && second.students == [])
    let new = try screen.main.student("S9", in: first)
    shown[0].schoolClass = nil
    // There: S2 goes to the second class, and S1, too.
    let there = try screen.background.findClass("2")
    for id in ["S1", "S2"] { try screen.background.findStudent(id).schoolClass = there }
    try screen.saveAndMerge()
    #expect(first.students == [shown[2], new] && second.students == [shown[1]])
    #expect(shown[0].schoolClass == nil && shown[1].schoolClass === second && new.schoolClass === first)
    try screen.main.save()
    let fresh = try screen.stack.forgetful()
    let classes = try fresh.fetch(FetchRequest<SchoolClass>(sortedBy: [SortKey("classId")]))
    #expect(classes.map { $0.students.map(\.studentId).sorted() } == [["S3", "S9"], ["S2"]])
  }

  @Test("17: a save of a context of another coordinator is merged as well")
  func otherCoordinator() throws {
    let screen = try Screen(.sqlite)
    let shown = try screen.main.students()
    let home = try screen.main.findClass("1")
    #expect(home.students == Set(shown))
    shown[1].studentDes = "mine"
    let far = try screen.stack.reopened()
    for id in ["S1", "S2"] { try far.findStudent(id).studentName = "Grace" }
    try far.delete(try far.findStudent("S3"))
    try far.student("S4").schoolClass = try far.findClass("1")
    try screen.main.mergeChanges(fromContextDidSave: try far.saveAnnounced())
    #expect(shown[0].studentName == "Grace" && shown[1].studentName == "Grace" && shown[1].studentDes == "mine")
    #expect(shown[2].managedObjectContext == nil)
    #expect(home.students.map(\.studentId).sorted() == ["S1", "S2", "S4"])
    // The versions are those that were merged.
    try screen.main.save()
  }

  @Test("17: the notification is posted once for each save that wrote something, on its context's queue")
  func notification() throws {
    let stack = try Stack()
    let context = ManagedObjectContext(stack.coordinator)
    let main = stack.context
    let log = SavedChanges(context) { changes in
      // The objects of the context that saved may be used here.
      #expect(changes.updated.allSatisfy { (context.object(with: $0) as? Student)?.studentName == "Grace" })
    }
    let id = try context.performAndWait {
      let student = try context.savedStudent("S1")
      try context.save()
      student.studentName = "Grace"
      try context.save()
      try context.delete(student)
      _ = try context.insert(Student.self)
      #expect(throws: ObjectGraphError.self) { try context.save() }
      context.rollback()
      return student.objectID
    }
    #expect(log.all.map(\.inserted) == [[id], []] && log.all.map(\.updated) == [[], [id]])
    #expect(log.all.flatMap(\.deleted) == [])
    #expect(SaveChanges(Notification(name: ManagedObjectContext.didSaveNotification)) == nil)
    for changes in log.all { try main.mergeChanges(fromContextDidSave: changes) }
    #expect((main.object(with: id) as? Student)?.studentName == "Grace")
  }
}
