import ObjectGraph
import TestSupport

/// Edits the students model at random in two contexts. The first context merges the saves of the second.
final class ResultsEditor {
  private let stack: Stack
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext
  private var random: SplitMix64
  private var lastNumber = 0
  private(set) var edits = 0
  /// The edits of the last event.
  private(set) var log: [String] = []

  init(_ stack: Stack, seed: UInt64) {
    self.stack = stack
    context = stack.context
    other = stack.otherContext()
    for context in [context, other] { context.mergePolicy = .mergeByPropertyObjectTrump }
    context.undoManager = UndoManager()
    random = SplitMix64(seed: seed)
  }

  /// Some edits that a controller hears of at once.
  func event() throws {
    log = []
    switch number(below: 100) {
    case 0..<60: try edit(context, times: 1 + number(below: 8))
    case 60..<66: try note("undo") { try context.undo() }
    case 66..<69: try note("redo") { try context.redo() }
    case 69..<78: try note("save") { try save() }
    case 78..<80: try note("rollback") { context.rollback() }
    case 80..<83:
      try note("refresh") {
        for student in try context.fetch(FetchRequest<Student>()) where number(below: 4) == 0 {
          try context.refresh(student, mergeChanges: number(below: 2) == 0)
        }
      }
    case 83: try note("refresh all") { try context.refreshAllObjects() }
    default: try editElsewhere()
    }
    try context.processPendingChanges()
  }

  private func note(_ name: String, _ body: () throws -> Void) throws {
    edits += 1
    log.append(name)
    try body()
  }

  private func save() throws {
    do {
      try context.save()
    } catch ObjectGraphError.validation, ObjectGraphError.inaccessible {
      // A class was deleted that somebody else has put students into, or something changed that somebody has deleted.
      context.rollback()
    }
  }

  private func editElsewhere() throws {
    var saves: [SaveChanges] = []
    for _ in 0...number(below: 2) {
      log.append("elsewhere")
      other.reset()
      try edit(other, times: 1 + number(below: 6))
      try other.processPendingChanges()
      if other.hasChanges { saves.append(try other.saveAnnounced()) }
    }
    log.append("merge")
    for changes in saves { try context.mergeChanges(fromContextDidSave: changes) }
  }

  // MARK: - Edits

  /// The objects that there are, looked up once for several edits: a fetch would end the event.
  private struct Pool {
    var students: [Student]
    var classes: [SchoolClass]
    var courses: [Course]
    var scores: [Score]

    init(_ context: ManagedObjectContext) throws {
      students = try context.fetch(FetchRequest<Student>())
      classes = try context.fetch(FetchRequest<SchoolClass>())
      courses = try context.fetch(FetchRequest<Course>())
      scores = try context.fetch(FetchRequest<Score>())
    }
  }

  private func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private func next() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private func letter() -> String { ["a", "b", "c", "C", "d", "e"][number(below: 6)] }

  private func any<Object: ManagedObject>(_ objects: [Object]) -> Object? {
    objects.filter { !$0.isDeleted }.randomElement(using: &random)
  }

  private func edit(_ context: ManagedObjectContext, times: Int) throws {
    var pool = try Pool(context)
    for _ in 0..<times {
      edits += 1
      try edit(context, &pool)
    }
  }

  /// One edit; of each kind of object there are some, and never too many.
  private func edit(_ context: ManagedObjectContext, _ pool: inout Pool) throws {
    let kind = number(below: 24)
    log.append("\(kind)")
    switch kind {
    case 0..<5 where pool.students.count < 40:
      pool.students.append(try context.student("\(next() % 7)", letter(), in: any(pool.classes)))
    case 0..<7: try any(pool.students).map(context.delete)
    case 7..<10: any(pool.students)?.studentName = letter()
    case 10: any(pool.students)?.studentDes = letter()
    case 11, 12: any(pool.students)?.schoolClass = number(below: 5) == 0 ? nil : any(pool.classes)
    case 13, 14: any(pool.classes)?.classNames = letter()
    case 15 where pool.classes.count < 8: pool.classes.append(try context.schoolClass(next(), letter()))
    case 15:
      guard let old = any(pool.classes) else { return }
      // A class with students cannot be deleted.
      old.students = []
      try context.delete(old)
    case 16, 17:
      guard let course = any(pool.courses) else { return }
      any(pool.students)?.courses.formSymmetricDifference([course])
    case 18: any(pool.courses)?.courseName = letter()
    case 19 where pool.courses.count < 6: pool.courses.append(try context.course(next(), letter()))
    case 19: try any(pool.courses).map(context.delete)
    case 20, 21:
      guard pool.scores.count < 60, let student = any(pool.students), let course = any(pool.courses) else {
        return try any(pool.scores).map(context.delete) ?? ()
      }
      let score = try context.score(next(), of: student, in: course, semester: "\(lastNumber)")
      score.score = Double(number(below: 6)) * 20
      pool.scores.append(score)
    case 22: any(pool.scores)?.student = any(pool.students)
    default: any(pool.scores)?.score = Double(number(below: 6)) * 20
    }
  }
}
