import ObjectGraph
import TestSupport
import Testing

/// Semantic 25 as a property: after any groups of edits and saves, each undo gives the state before a group, and each
/// redo the state after it.
@Suite struct UndoPropertyTests {
  @Test("25: random groups are taken back and repeated, saves in between", arguments: 1...20)
  func random(seed: Int) throws {
    let stack = try Stack()
    let context = stack.context
    var editor = RandomEditor(context, seed: UInt64(seed))
    for _ in 1...8 { try editor.insert() }
    try context.save()
    let undoManager = UndoManager()
    context.undoManager = undoManager
    var states = [try GraphState(context)]
    for _ in 1...40 {
      // The editor fetches, which would end a group.
      try undoManager.beginUndoGrouping()
      try editor.rename()
      for _ in 0..<editor.number(below: 5) { try editor.edit() }
      try undoManager.endUndoGrouping()
      states.append(try GraphState(context))
      if editor.chance(25) { try context.save() }
    }
    func check(_ place: Int, _ what: String) throws {
      let state = try GraphState(context)
      guard state == states[place] else {
        Issue.record("seed \(seed), \(what) to \(place): \(state.difference(from: states[place]))")
        throw CancellationError()
      }
    }
    for place in (0..<40).reversed() {
      try context.undo()
      try check(place, "undo")
      if editor.chance(20) { try context.save() }
    }
    #expect(!undoManager.canUndo)
    for place in 1...40 {
      try context.redo()
      try check(place, "redo")
      if editor.chance(20) { try context.save() }
    }
    #expect(!undoManager.canRedo)
    // To and fro.
    var place = 40
    for _ in 1...60 {
      if place == 0 || (place < 40 && editor.chance(50)) {
        try context.redo()
        place += 1
      } else {
        try context.undo()
        place -= 1
      }
      try check(place, "walk")
      if editor.chance(15) {
        try context.save()
        #expect(try GraphState(stack.otherContext()) == states[place])
      }
    }
    try context.save()
    #expect(try GraphState(stack.otherContext()) == states[place])
  }
}

/// Makes any edits of the students model that can be saved.
struct RandomEditor {
  private let context: ManagedObjectContext
  private var generator: SplitMix64
  private var lastNumber = 0

  init(_ context: ManagedObjectContext, seed: UInt64) {
    self.context = context
    generator = SplitMix64(seed: seed)
  }

  mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
  mutating func chance(_ percent: Int) -> Bool { generator.chance(percent) }

  /// One edit.
  mutating func edit() throws {
    switch number(below: 10) {
    case 0, 1: try insert()
    case 2: try delete()
    case 3, 4: try rename()
    default: try relate()
    }
  }

  mutating func insert() throws {
    lastNumber += 1
    switch number(below: 4) {
    case 0:
      let student = try context.student("S\(lastNumber)", "N\(lastNumber)")
      if chance(70) { student.schoolClass = try any(SchoolClass.self) }
    case 1: _ = try context.schoolClass(lastNumber)
    case 2: _ = try context.course(lastNumber)
    default:
      guard let student = try any(Student.self), let course = try any(Course.self) else {
        _ = try context.student("S\(lastNumber)")
        return
      }
      _ = try context.score(lastNumber, of: student, in: course, semester: "\(lastNumber)")
    }
  }

  private mutating func delete() throws {
    switch number(below: 4) {
    case 0: try any(Student.self).map(context.delete)
    case 1: try any(Course.self).map(context.delete)
    case 2: try any(Score.self).map(context.delete)
    default:
      // A class with students cannot be deleted.
      guard let schoolClass = try any(SchoolClass.self) else { return }
      schoolClass.students = []
      try context.delete(schoolClass)
    }
  }

  /// An edit that changes something in any case.
  mutating func rename() throws {
    lastNumber += 1
    if chance(30), let student = try any(Student.self) {
      student.studentDes = "D\(lastNumber)"
    } else if chance(50), let schoolClass = try any(SchoolClass.self) {
      schoolClass.classNames = "C\(lastNumber)"
    } else if let score = try any(Score.self) {
      score.score = score.score == 1 ? 2 : 1
    } else {
      try insert()
    }
  }

  private mutating func relate() throws {
    guard let student = try any(Student.self) else { return try insert() }
    switch number(below: 5) {
    case 0: student.schoolClass = chance(20) ? nil : try any(SchoolClass.self)
    case 1:
      guard let schoolClass = try any(SchoolClass.self) else { return }
      schoolClass.students = schoolClass.students.symmetricDifference([student])
    case 2:
      guard let course = try any(Course.self) else { return }
      student.courses.formSymmetricDifference([course])
    case 3:
      guard let course = try any(Course.self) else { return }
      course.students = chance(30) ? [] : course.students.union([student])
    default: try any(Score.self)?.student = student
    }
  }

  /// Any of the objects that are there, or nil.
  private mutating func any<Object: ManagedObject>(_ objectClass: Object.Type) throws -> Object? {
    // In an order that does not depend on addresses.
    try context.fetch(FetchRequest<Object>()).randomElement(using: &generator)
  }
}
