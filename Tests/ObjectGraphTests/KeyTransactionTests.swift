import ObjectGraph
import TestSupport
import Testing

/// Fact 7: a save with new objects is two transactions, of which the first takes their keys.
@Suite struct KeyTransactionTests {
  private func stack(_ type: StoreType, _ keys: StoreOptions.Keys) throws -> Stack {
    try Stack(type, options: StoreOptions().with { $0.keys = keys })
  }

  /// The last parts of the students' IDs, in the order of their keys.
  private func keys(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(FetchRequest<Student>()).map(\.objectID.uriRepresentation.lastPathComponent)
  }

  @Test("fact 7: keys first, in one more transaction for all entities; none without new objects, or if joined")
  func shape() throws {
    let stack = try stack(.sqlite, .separate)
    let student = try stack.context.student("S1")
    _ = try stack.context.course(1)
    stack.clearStatements()
    try stack.context.save()
    func key(_ entity: String, _ number: Int) -> [String] {
      [
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number) AND Z_NAME = '\(entity)'",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = \(number) AND Z_MAX = 0",
      ]
    }
    let statements = stack.statements.map { $0.hasPrefix("INSERT INTO Z") ? String($0.prefix(16)) : $0 }
    #expect(
      statements == ["BEGIN IMMEDIATE"] + key("Courses", 2) + key("Students", 4)
        + ["COMMIT", "BEGIN IMMEDIATE", "INSERT INTO ZCOU", "INSERT INTO ZSTU", "COMMIT"])
    student.studentDes = "changed"
    stack.clearStatements()
    try stack.context.save()
    #expect(stack.statements.allSatisfy { $0.hasPrefix("UPDATE ZSTUDENTS") })
    let joined = try self.stack(.sqlite, .joined)
    joined.clearStatements()
    try joined.context.savedStudent("S1")
    #expect(joined.statements.filter { $0 == "COMMIT" }.count == 1)
  }

  @Test(
    "fact 7: a save that fails leaves a gap in the keys, none where they are joined", arguments: Stack.types,
    [StoreOptions.Keys.separate, .joined])
  func gap(_ type: StoreType, _ keys: StoreOptions.Keys) throws {
    let expected = keys == .separate ? ["p1", "p5"] : ["p1", "p2"]
    let stack = try stack(type, keys)
    let (student, _, course, _) = try stack.context.school()
    _ = try stack.context.score(2, of: student, in: course)
    for number in 2...4 { _ = try stack.context.student("S\(number)") }
    #expect(throws: ObjectGraphError.self) { try stack.context.save() }
    #expect(try self.keys(stack.forgetful()) == ["p1"])
    stack.context.rollback()
    try stack.context.savedStudent("S5")
    for context in [stack.context, try stack.forgetful()] {
      #expect(try self.keys(context) == expected, "\(type) \(keys)")
    }
  }
}
