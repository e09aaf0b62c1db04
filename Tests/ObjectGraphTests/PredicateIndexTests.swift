import ObjectGraph
import TestSupport
import Testing

/// Semantic 9: a predicate on an attribute with an index is looked up in it, by SQLite's query plan.
@Suite struct PredicateIndexTests {
  private let stack: Stack
  private let student: Student

  init() throws {
    stack = try Stack(
      model: try ManagedObjectModel(
        Students.entities.changing("Classes") { $0.indexes.append(["classNames"]) }
          .changing("Scores") { $0.indexes.append(["score"]) }))
    let context = stack.context
    student = try context.student("S1", in: context.schoolClass(1), taking: [context.course(1)])
    try stack.context.save()
  }

  /// SQLite's query plan of a fetch: one line for each table and each sorting.
  private func plan(
    _ entity: String, _ predicate: FetchPredicate? = nil, sortedBy order: [SortKey] = [],
    variables: [String: Operand] = [:]
  ) throws -> String {
    let request = FetchRequest<ManagedObject>(entity, where: predicate, sortedBy: order)
    request.variables = variables
    let context = stack.otherContext()
    stack.clearStatements()
    _ = try context.fetch(request)
    _ = try context.fetchObjectIDs(request)
    _ = try context.count(for: request)
    #expect(stack.statementTexts.count == 3)
    let plans = try stack.statementTexts.map { sql in
      try Database.rows(stack.url, "EXPLAIN QUERY PLAN \(sql)").map { $0[3] }
    }
    // A count may know a cheaper way to the same rows, but rows and IDs are looked for alike.
    #expect(plans[0].map(Self.withoutCovering) == plans[1].map(Self.withoutCovering))
    return plans[0].joined(separator: "\n")
  }

  /// The query plan without the sorting.
  private func search(
    _ entity: String, _ predicate: FetchPredicate, variables: [String: Operand] = [:]
  ) throws -> String {
    try plan(entity, predicate, variables: variables).replacing("\nUSE TEMP B-TREE FOR ORDER BY", with: "")
  }

  /// A line of a plan without the note that the index is enough.
  private static func withoutCovering(_ line: String) -> String { line.replacing(" COVERING", with: "") }

  @Test("9: equality, lists, ranges and beginnings use the index that the model declares")
  func attributes() throws {
    let index = "SEARCH t0 USING INDEX Z_Students_studentId (ZSTUDENTID"
    let id = Property("studentId")
    for (predicate, condition) in [
      (id == "S1", "=?)"), (id == Value.null, "=?)"), (id.isIn(["S1", "S2"]), "=?)"),
      (id.between("S1", "S2"), ">? AND ZSTUDENTID<?)"), (id.begins(with: "S"), ">? AND ZSTUDENTID<?)"),
      (Property("studentName") == "Ada" && id == "S1", "=?)"),
    ] {
      #expect(try search("Students", predicate) == index + condition, "\(predicate)")
    }
    let variables: [String: Operand] = ["id": .value("S1"), "ids": .list([.value("S1"), .value("S2")])]
    for predicate in [id.compare(.equal, .variable("id")), id.compare(.in, .variable("ids"))] {
      #expect(try search("Students", predicate, variables: variables) == index + "=?)", "\(predicate)")
    }
    let schoolClass = try #require(student.schoolClass)
    let either = try plan("Students", id == "S1" || Property("student_class") == schoolClass)
    #expect(either.contains("MULTI-INDEX OR") && !either.contains("SCAN"), "\(either)")
    // A query that the index cannot answer. Without it, this test would not notice if every plan looked alike.
    for predicate in [Property("studentName") == "Ada", id.contains("1"), id != "S1"] {
      #expect(try plan("Students", predicate) == "SCAN t0", "\(predicate)")
    }
  }

  @Test("9: objects are found by their keys, and relationships from either end")
  func relationships() throws {
    let schoolClass = try #require(student.schoolClass)
    #expect(try plan("Students", Property.object == student) == "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)")
    #expect(
      try plan("Students", Property.object.isIn([student.objectID])) == "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)")
    #expect(try plan("Students", Property("student_class") == schoolClass).contains("(ZSTUDENT_CLASS=?)"))
    let course = try #require(student.courses.first)
    let many = try plan("Students", Property.any("student_course") == course)
    #expect(many.contains("SEARCH t1 USING") && !many.contains("SCAN t1"), "\(many)")
    let scores = try plan("Students", Property.any("student_score.score") > 5)
    #expect(scores.contains("SEARCH t1 USING INDEX") && scores.contains("(ZSCORE_STUDENT=?"), "\(scores)")
  }

  @Test("9: a key path over a to-one relationship begins at the index of the attribute at its end")
  func keyPaths() throws {
    let plan = try plan("Students", Property("student_class.classNames") == "7A")
    let lines = plan.split(separator: "\n")
    #expect(lines.first?.contains("SEARCH t1 USING") == true && plan.contains("(ZCLASSNAMES=?)"), "\(plan)")
    #expect(lines.dropFirst().first?.contains("(ZSTUDENT_CLASS=?)") == true, "\(plan)")
  }

  @Test("9: an order that the index has needs no sorting")
  func order() throws {
    let sorted = try plan("Students", sortedBy: [SortKey("studentId")])
    #expect(sorted == "SCAN t0 USING INDEX Z_Students_studentId")
    // Without an order, SQLite thinks half a range not worth the sorting by key.
    for (half, condition) in [(Property("studentId") > "S1", ">?"), (Property("studentId") <= "S1", "<?")] {
      let range = try plan("Students", half, sortedBy: [SortKey("studentId")])
      #expect(range == "SEARCH t0 USING INDEX Z_Students_studentId (ZSTUDENTID\(condition))")
    }
    #expect(try plan("Students", sortedBy: [SortKey("studentName")]).contains("USE TEMP B-TREE"))
  }
}
