import StorageContract

/// A workload on the linked records of a school. Each operation reads and changes the data of one student.
struct Relations: Workload {
  static let description = WorkloadDescription(
    id: "relations", question: "What do linked records cost?",
    operation: """
      show a student with class, courses, scores and the students of another class; then move to that class, swap a \
      course and enter a score in it, in one commit
      """,
    options: [LinkFetch.option], access: .writes, counted: .changes, capability: { _ in .relational },
    collections: School.collections,
    obstacle: { options, store in
      guard LinkFetch(options) != .faults, !(store.backend is any LinkFetching.Type) else {
        return store.lackOfKeyOrder
      }
      return "there is nothing to choose: it hands out no objects, whose links could be read in several ways"
    })

  let options: Options

  func fixture(of source: any RecordSource) throws -> Fixture { try School.fixture(source) }

  func session(_ context: SessionContext) -> any WorkloadSession { RelationsSession(context, LinkFetch(options)) }
}

/// The data that an app shows about one student.
private struct Page {
  var student: Record?
  var classes: [Record] = []
  var courses: [Record] = []
  var scores: [(record: Record, course: Int64?)] = []
  /// The keys of the students in the class to which the student will move.
  var classmates: [Int64] = []

  /// The paths of links that an app follows to show a student, by the collection in which the paths start.
  static let links: [CollectionID: [[LinkStep]]] = [
    School.students: [
      [LinkStep(School.studentClass, .forward)], [LinkStep(School.studentCourses, .forward)],
      [LinkStep(School.scoreStudent, .inverse), LinkStep(School.scoreCourse, .forward)],
    ],
    School.classes: [[LinkStep(School.studentClass, .inverse)]],
  ]
}

/// The random input of one operation: a student moves to another class, swaps a course, and gets a score.
private struct Visit {
  var student: Int64
  var newClass: Int64
  var course: Int64
  var semester: String
  var mark: Double
  /// The key for a new score record, if the operation adds one.
  var newScore: Int64

  /// Returns the changes that an operation commits. `page` is the data about the student before the changes.
  func changes(_ page: Page) -> [RelationChange] {
    var changes: [RelationChange] = []
    if page.classes.first?.id != newClass { changes.append(.link(student, to: newClass, by: School.studentClass)) }
    if !page.courses.contains(where: { $0.id == course }) {
      if let dropped = page.courses.first {
        changes.append(.unlink(student, from: dropped.id, by: School.studentCourses))
      }
      changes.append(.link(student, to: course, by: School.studentCourses))
    }
    // A student has one score per course and semester, so an existing score is updated.
    if let old = page.scores.first(where: { $0.course == course && $0.record.group == semester }) {
      changes.append(.put(School.score(old.record.id, mark, semester), in: School.scores))
    } else {
      changes.append(.put(School.score(newScore, mark, semester), in: School.scores))
      changes.append(.link(newScore, to: student, by: School.scoreStudent))
      changes.append(.link(newScore, to: course, by: School.scoreCourse))
    }
    return changes
  }
}

private final class RelationsSession: SessionStore, StoreSession {
  let blockSize = 32
  private let fetch: LinkFetch
  private var relations: (any Relational)?
  private var block = Block<Visit>()
  private var pages: [Page] = []
  private var state: Expectation

  init(_ context: SessionContext, _ fetch: LinkFetch) {
    self.fetch = fetch
    state = Expectation(context.fixture)
    super.init(context)
  }

  func setUp() throws {
    let store = try context.open()
    let relations = Capability.relational(of: store).value
    try relations.declare(School.schema())
    try (relations as? any LinkFetching)?.read(linked: fetch, prefetching: Page.links)
    (self.store, self.relations) = (store, relations)
  }

  private func visit(_ operation: Int) -> Visit {
    var random = RandomStream(seed: context.seed, .change, operation)
    let students = context.source
    return Visit(
      student: students.key(at: random.below(students.count)),
      newClass: Int64(random.below(School.classCount(students.count))) + 1,
      course: Int64(random.below(School.courseCount(students.count))) + 1,
      semester: School.semesters[random.below(2)], mark: Double(random.below(101)),
      newScore: Int64(2 * students.count + 1 + operation))
  }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, visit)
    pages = []
    pages.reserveCapacity(operations.count)
  }

  func perform(_ operation: Int) throws {
    guard let store, let relations else { return }
    let visit = block[operation]
    func linked(_ relationship: RelationshipID, _ direction: LinkDirection) throws -> [Record] {
      var records: [Record] = []
      try relations.walk(from: visit.student, by: relationship, direction) { view in
        records.append(view.record())
        return true
      }
      return records
    }
    let page = Page(
      student: try store.record(visit.student, in: School.students),
      classes: try linked(School.studentClass, .forward), courses: try linked(School.studentCourses, .forward),
      scores: try linked(School.scoreStudent, .inverse).map { score in
        (score, try relations.destinations(of: score.id, by: School.scoreCourse).first)
      },
      classmates: try relations.sources(of: visit.newClass, by: School.studentClass))
    try relations.commit(visit.changes(page))
    pages.append(page)
  }

  func verify(_ operations: Range<Int>) throws {
    for (operation, found) in zip(operations, pages) where context.isVerifiable {
      let visit = visit(operation)
      let right = page(visit, state)
      try Expectation.compare(found.student, with: right.student, key: visit.student)
      try Expectation.compare(found.classes, with: right.classes)
      try Expectation.compare(found.courses, with: right.courses)
      try Expectation.compare(found.scores.map(\.record), with: right.scores.map(\.record))
      guard found.scores.map(\.course) == right.scores.map(\.course) else {
        throw VerificationError(key: visit.student, "has scores in wrong courses")
      }
      guard found.classmates == right.classmates else {
        throw VerificationError(key: visit.newClass, "has wrong links by student_class")
      }
      for change in visit.changes(right) { try state.apply(linked: change) }
    }
  }

  private func page(_ visit: Visit, _ state: Expectation) -> Page {
    func linked(_ relationship: RelationshipID, _ direction: LinkDirection, _ collection: CollectionID) -> [Record] {
      state.keys(linkedWith: visit.student, by: relationship, direction)
        .compactMap { state.record($0, in: collection) }
    }
    return Page(
      student: state.record(visit.student, in: School.students),
      classes: linked(School.studentClass, .forward, School.classes),
      courses: linked(School.studentCourses, .forward, School.courses),
      scores: linked(School.scoreStudent, .inverse, School.scores).map { score in
        (score, state.keys(linkedWith: score.id, by: School.scoreCourse).first)
      },
      classmates: state.keys(linkedWith: visit.newClass, by: School.studentClass, .inverse))
  }

  func finish() throws {
    relations = nil
    try store?.settle()
    try close()
  }

  func bytesChanged(by operations: Int) -> Int {
    var state = Expectation(context.fixture)
    return (0..<operations).reduce(0) { sum, operation in
      let visit = visit(operation)
      return visit.changes(page(visit, state)).reduce(sum) { sum, change in
        try? state.apply(linked: change)
        return switch change {
        case .put(let record, _): sum + record.logicalSize
        case .link, .unlink: sum + Link.logicalSize
        case .delete: sum
        }
      }
    }
  }

  func expectation(after operations: Int) throws -> Expectation {
    var state = Expectation(context.fixture)
    for operation in 0..<operations {
      let visit = visit(operation)
      for change in visit.changes(page(visit, state)) { try state.apply(linked: change) }
    }
    return state
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    let visit = visit(operation)
    for key in [visit.student, visit.newClass, visit.course] { hash.add(UInt64(bitPattern: key)) }
    hash.add(visit.semester)
    hash.add(visit.mark.bitPattern)
  }
}

/// The data model of a school: students with a class, courses, and at most one score per course and semester.
enum School {
  static let students = CollectionID(0)
  static let classes = CollectionID(1)
  static let courses = CollectionID(2)
  static let scores = CollectionID(3)
  static let collections = ["students", "classes", "courses", "scores", "links"]

  static let studentClass = RelationshipID(0)
  static let studentCourses = RelationshipID(1)
  static let scoreStudent = RelationshipID(2)
  static let scoreCourse = RelationshipID(3)

  /// Returns the schema. A class with students cannot be deleted. A score is deleted with its student or course.
  static func schema() throws -> RelationSchema {
    try RelationSchema(
      [
        RecordRelationship(
          "student_class", from: students, to: classes, destinations: .one, sources: .many,
          deleteRule: .nullify, inverseDeleteRule: .deny),
        RecordRelationship("student_courses", from: students, to: courses),
        RecordRelationship(
          "score_student", from: scores, to: students, destinations: .one, inverseDeleteRule: .cascade),
        RecordRelationship("score_course", from: scores, to: courses, destinations: .one, inverseDeleteRule: .cascade),
      ], links: CollectionID(4))
  }

  static let semesters = ["2025 autumn", "2026 spring"]

  /// Returns the number of classes for a number of students, about 30 students per class.
  static func classCount(_ students: Int) -> Int { max(2, students / 30) }
  /// Returns the number of courses for a number of students. Each student takes two, so a course has about 50 students.
  static func courseCount(_ students: Int) -> Int { max(4, students / 25) }

  static func score(_ key: Int64, _ mark: Double, _ semester: String) -> Record {
    Record(id: key, name: "", group: semester, score: mark, modified: 0, payload: [])
  }

  static func fixture(_ students: any RecordSource) throws -> Fixture {
    let (classes, courses) = (classCount(students.count), courseCount(students.count))
    var scores: [Record] = []
    var links: [Link] = []
    for (index, student) in students.all.enumerated() {
      // A constant seed makes the links equal in all runs.
      var random = RandomStream(seed: 0, .order, index)
      links.append(Link(student.id, to: Int64(random.below(classes)) + 1, by: studentClass))
      let first = random.below(courses)
      for course in [first, (first + 1 + random.below(courses - 1)) % courses].map({ Int64($0) + 1 }) {
        let score = score(Int64(scores.count) + 1, Double(random.below(101)), semesters[0])
        links.append(Link(student.id, to: course, by: studentCourses))
        links.append(Link(score.id, to: student.id, by: scoreStudent))
        links.append(Link(score.id, to: course, by: scoreCourse))
        scores.append(score)
      }
    }
    func named(_ name: String, _ count: Int) -> RecordList {
      RecordList(
        (1...count).map {
          Record(id: Int64($0), name: "\(name) \($0)", group: "", score: 0, modified: 0, payload: [])
        })
    }
    return Fixture(
      [students, named("class", classes), named("course", courses), RecordList(scores)], schema: try schema(),
      links: links)
  }
}
