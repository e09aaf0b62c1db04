import Foundation
import ObjectGraph
import Synchronization
import TestSupport
import Testing

/// A store in a temporary directory, which goes with it.
final class Stack {
  private let home: StoreHistory
  let model: ManagedObjectModel
  let type: StoreType
  let coordinator: PersistentStoreCoordinator
  let store: PersistentStore
  let context: ManagedObjectContext
  private let log = StatementLog()

  /// The types of stores that the tests of the context's semantics run on.
  static let types: [StoreType] = [.sqlite, .binary, .xml, .inMemory]

  /// Opens a store of the students model or another one.
  init(_ type: StoreType = .sqlite, model: ManagedObjectModel? = nil, options: StoreOptions = StoreOptions()) throws {
    home = try StoreHistory(type)
    self.model = try model ?? Students.model()
    self.type = type
    coordinator = PersistentStoreCoordinator(self.model)
    var options = options
    options.sqlTrace = { [log, trace = options.sqlTrace] in
      log.add($0)
      trace?($0)
    }
    store = try coordinator.addPersistentStore(type, at: type == .inMemory ? nil : home.url, options: options)
    context = ManagedObjectContext(coordinator, .confinement)
    log.clear()
  }

  var directory: URL { home.directory }
  var url: URL { home.url }

  /// Another context on the same coordinator, used on the same thread.
  func otherContext() -> ManagedObjectContext { ManagedObjectContext(coordinator, .confinement) }

  /// The store's files by their names, with or without the one that SQLite's connections share.
  func files(all: Bool = false) throws -> [String: Data] { try home.bytes(all: all) }

  /// A context on another coordinator, which has read nothing yet.
  func reopened() throws -> ManagedObjectContext { try Self.open(type, at: url, model: model) }

  /// A context on a new coordinator, which opens a file with the students model or another one.
  static func open(
    _ type: StoreType, at url: URL?, model: ManagedObjectModel? = nil, options: StoreOptions = StoreOptions()
  ) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(try model ?? Students.model())
    try coordinator.addPersistentStore(type, at: url, options: options)
    return ManagedObjectContext(coordinator, .confinement)
  }

  /// A context that has read nothing yet, on another coordinator if the store is a file.
  func forgetful() throws -> ManagedObjectContext { try type == .inMemory ? otherContext() : reopened() }

  /// The SQL that ran since the last ``clearStatements()``, values in place.
  var statements: [String] { log.statements }

  /// The statements with `?` for the values.
  var statementTexts: [String] { log.texts }

  /// The statements that read objects.
  var selects: [String] { statements.filter { $0.hasPrefix("SELECT 0,") || $0.hasPrefix("SELECT t0.") } }

  func clearStatements() { log.clear() }
}

final class StatementLog: Sendable {
  private let traces = Mutex<[SQLTrace]>([])

  var statements: [String] { traces.withLock { $0.map(\.boundSQL) } }
  var texts: [String] { traces.withLock { $0.map(\.sql) } }
  func clear() { traces.withLock { $0 = [] } }
  @Sendable func add(_ trace: SQLTrace) { traces.withLock { $0.append(trace) } }
}

extension ManagedObjectContext {
  /// A student with the values that are required, in a class and courses if given.
  func student(
    _ id: String, _ name: String = "Ada", in schoolClass: SchoolClass? = nil, taking courses: Set<Course> = []
  ) throws -> Student {
    let student = try insert(Student.self)
    student.studentId = id
    student.studentName = name
    if let schoolClass { student.schoolClass = schoolClass }
    if !courses.isEmpty { student.courses = courses }
    return student
  }

  /// A saved student with the values that are required.
  @discardableResult
  func savedStudent(_ id: String, _ name: String = "Ada") throws -> Student {
    let student = try student(id, name)
    try save()
    return student
  }

  /// A class with the values that are required.
  func schoolClass(_ id: Int, _ name: String = "7A") throws -> SchoolClass {
    let made = try insert(SchoolClass.self)
    made.classId = id
    made.classNames = name
    return made
  }

  /// A course with the values that are required.
  func course(_ id: Int, _ name: String = "Music") throws -> Course {
    let made = try insert(Course.self)
    made.courseId = id
    made.courseName = name
    return made
  }

  /// A score with the values that are required.
  func score(_ id: Int, of student: Student, in course: Course, semester: String = "2026-1") throws -> Score {
    let made = try insert(Score.self)
    made.scoreId = id
    made.semester = semester
    made.student = student
    made.course = course
    return made
  }

  /// A saved student in a class, with a course and a score in it.
  func school() throws -> (student: Student, schoolClass: SchoolClass, course: Course, score: Score) {
    let (schoolClass, course) = (try self.schoolClass(1), try self.course(1))
    let student = try self.student("S1", in: schoolClass, taking: [course])
    let score = try self.score(1, of: student, in: course)
    try save()
    return (student, schoolClass, course, score)
  }
}

extension ManagedObject {
  func set(_ values: KeyValuePairs<String, Any?>) throws {
    for (key, value) in values { try setValue(value, forKey: key) }
  }
}

extension ManagedObjectContext {
  /// A new object with some properties set.
  @discardableResult
  func insert(_ entity: String, _ values: KeyValuePairs<String, Any?>) throws -> ManagedObject {
    let object = try insert(entity)
    try object.set(values)
    return object
  }

  func findStudent(_ id: String) throws -> Student {
    try #require(try fetch(FetchRequest<Student>(where: Property("studentId") == id)).first)
  }

  func findClass(_ name: String) throws -> SchoolClass {
    try #require(try fetch(FetchRequest<SchoolClass>(where: Property("classNames") == name)).first)
  }

  /// All students by their numbers.
  func students() throws -> [Student] { try fetch(FetchRequest<Student>(sortedBy: [SortKey("studentId")])) }

  func studentCount() throws -> Int { try count(for: FetchRequest<Student>()) }
}

/// Runs a block on a new thread, and returns a function that waits for its end and returns its result.
func startThread<Value: Sendable>(
  stackSize: Int? = nil, _ body: @escaping @Sendable () throws -> Value
) -> @Sendable () throws -> Value {
  let outcome = Mutex<Result<Value, any Error>?>(nil)
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    let result = Result { try body() }
    outcome.withLock { $0 = result }
    done.signal()
  }
  if let stackSize { thread.stackSize = stackSize }
  thread.start()
  return {
    done.wait()
    return try #require(outcome.withLock { $0 }).get()
  }
}

/// The text of the error of the object graph that a block throws, if it throws one.
func errorText<Result>(_ body: () throws -> Result) -> String? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? ObjectGraphError)?.description
  }
}

extension ObjectGraphError {
  /// The sentence about damage in the file `store.db`.
  var damage: String? {
    if case .damaged(file: "store.db", let sentence) = self { sentence } else { nil }
  }

  var failures: [ValidationFailure]? {
    if case .validation(let failures) = self { failures } else { nil }
  }

  /// The conflicts of a save with old versions.
  var mergeConflicts: [MergeConflict]? {
    if case .conflicts(let conflicts) = self { conflicts } else { nil }
  }

  /// The conflicts of a save with values that must be unique.
  var constraintConflicts: [ConstraintConflict]? {
    if case .constraints(let conflicts) = self { conflicts } else { nil }
  }
}
