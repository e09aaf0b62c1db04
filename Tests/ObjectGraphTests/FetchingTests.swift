import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantics 9 and 10: fetches, and what they see of changes that were not saved.
@Suite struct FetchingTests {
  @Test("9: predicates, order, limit and offset become SQL with bound values")
  func fetching() throws {
    let stack = try Stack()
    let (a, b) = (try stack.context.schoolClass(1, "7A"), try stack.context.schoolClass(2, "7B"))
    let music = try stack.context.course(1, "Music")
    for (number, name) in ["Ada", "Grace", "alan", "O'Brien\"; DROP"].enumerated() {
      let student = try stack.context.student("S\(number)", name)
      student.schoolClass = number < 2 ? a : b
      if number.isMultiple(of: 2) { student.courses = [music] }
    }
    try stack.context.save()
    func names(_ predicate: FetchPredicate?, limit: Int = 0, offset: Int = 0) throws -> [String] {
      let request = FetchRequest<Student>(
        where: predicate, sortedBy: [SortKey("studentName")], limit: limit, offset: offset)
      let names = try stack.otherContext().fetch(request).map(\.studentName)
      #expect(try stack.otherContext().count(for: request) == names.count)
      return names
    }
    let name = Property("studentName")
    #expect(try names(nil) == ["Ada", "Grace", "O'Brien\"; DROP", "alan"])
    #expect(try names(nil, limit: 2, offset: 1) == ["Grace", "O'Brien\"; DROP"])
    #expect(try names(name == "O'Brien\"; DROP") == ["O'Brien\"; DROP"])
    #expect(try names(name.begins(with: "A") || name.contains("rac")) == ["Ada", "Grace"])
    #expect(try names(name > "B" && name < "P") == ["Grace", "O'Brien\"; DROP"])
    #expect(try names(Property("student_class.classNames") == "7B") == ["O'Brien\"; DROP", "alan"])
    #expect(try names(!(Property("student_class") == a)) == ["O'Brien\"; DROP", "alan"])
    #expect(try names(Property.any("student_course.courseName") == "Music") == ["Ada", "alan"])
    #expect(try names(!(Property.any("student_course.courseName") == "Music")) == ["Grace", "O'Brien\"; DROP"])
    #expect(try names(Property("studentId").isIn(["S1", "S3", "S9"])) == ["Grace", "O'Brien\"; DROP"])
    #expect(try names(Property("studentDes") == Value.null).count == 4)
    #expect(try names(Property("studentDes") != "x").count == 4)
    #expect(throws: ObjectGraphError.self) { try names(Property("nickname") == "x") }
    #expect(throws: ObjectGraphError.self) { try names(name == 5) }
  }

  @Test("9: values are bound, never spliced, wherever they stand")
  func boundValues() throws {
    let stack = try Stack(model: try Everything.model())
    let owner = try stack.context.insert("Owner")
    try stack.context.save()
    let text = "qzj'; DROP TABLE ZITEM; --"
    let property = Property("text")
    let predicates: [FetchPredicate] = [
      property == text, property != text, property.isIn([text, "qzj2"]), property > text, property.between(text, text),
      property.contains(text), property.begins(with: text), Property("large") == 987_654_321,
      Property("amount") < 9876.54321, Property("bytes") == [UInt8]([0x98, 0x76, 0x54, 0x32, 0x10]),
      Property.any("tags.word") == text, Property("owner.name") == text, Property("owner") == owner,
      property.compare(.equal, .variable("v")), property.compare(.in, .variable("l")),
    ]
    let request = FetchRequest<ManagedObject>("Item", limit: 98765, offset: 9876)
    request.variables = ["v": .value(.string(text)), "l": .list([.value(.string(text))])]
    for predicate in predicates {
      request.predicate = predicate
      stack.clearStatements()
      #expect(try stack.context.fetch(request).isEmpty)
      let sql = try #require(stack.statementTexts.first)
      #expect(stack.statementTexts.count == 1 && sql.contains("?"))
      #expect(!sql.contains("'") && !sql.contains("qzj") && !sql.contains("9876"), "\(sql)")
      if predicate != (Property("owner") == owner) {
        #expect(["qzj", "9876", "x'"].contains { stack.statements[0].contains($0) }, "\(stack.statements[0])")
      }
    }
    // The table is still there.
    #expect(try stack.context.count(for: FetchRequest<ManagedObject>("Item")) == 0)
  }

  @Test("10: a fetch sees what has not been saved")
  func pendingChanges() throws {
    let stack = try Stack()
    let (gone, changed) = (try stack.context.student("S1", "Ada"), try stack.context.student("S2", "Bob"))
    try stack.context.save()
    let new = try stack.context.student("S3", "Abe")
    try stack.context.delete(gone)
    changed.studentName = "Ann"
    let request = FetchRequest<Student>(
      where: Property("studentName").begins(with: "A"), sortedBy: [SortKey("studentName")])
    #expect(try stack.context.fetch(request) == [new, changed])
    #expect(try stack.context.count(for: request) == 2)
    request.fetchLimit = 1
    request.fetchOffset = 1
    #expect(try stack.context.fetch(request) == [changed])
  }
}
