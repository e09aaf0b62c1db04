import ObjectGraph
import TestSupport
import Testing

/// Objects that somebody holds longer than their context: what is in memory can be read, the rest is an error, or stops
/// the program where nothing can be thrown. Nothing is passed off as absent.
@Suite struct OutlivedContextTests {
  /// Two students of a context that is gone: one that was read, and a fault.
  private static func students(_ type: StoreType = .inMemory) throws -> (read: Student, fault: Student) {
    let stack = try Stack(type)
    let schoolClass = try stack.context.schoolClass(1)
    let made = [try stack.context.student("S1"), try stack.context.student("S2")]
    for student in made { student.schoolClass = schoolClass }
    try stack.context.save()
    let context = stack.otherContext()
    let students = made.compactMap { context.object(with: $0.objectID) as? Student }
    #expect(students[0].studentName == "Ada")
    return (students[0], students[1])
  }

  @Test("11: values in memory are there, all others an error", arguments: Stack.types)
  func errors(_ type: StoreType) throws {
    let (read, fault) = try Self.students(type)
    #expect(read.managedObjectContext == nil && fault.managedObjectContext == nil)
    #expect(read.studentName == "Ada" && read.studentDes == nil)
    #expect(fault.isFault && !read.isFault)
    func isRefused(_ body: () throws -> Void, _ line: SourceLocation = #_sourceLocation) {
      let error = #expect(throws: ObjectGraphError.self, sourceLocation: line, performing: body)
      guard case .foreignObject(let reason) = error else { return #expect(Bool(false), sourceLocation: line) }
      #expect(reason.contains("is not in a context any more"), sourceLocation: line)
    }
    isRefused { _ = try fault.value(forKey: "studentName") }
    isRefused { _ = try read.value(forKey: "student_class") }
    isRefused { _ = try read.value(forKey: "student_course") }
    isRefused { try read.setValue("Grace", forKey: "studentName") }
    isRefused { try read.setValue(nil, forKey: "student_class") }
    #expect(read.studentName == "Ada")
  }

  @Test("11: a property that cannot throw stops the program instead of reading nothing")
  func stops() async {
    await #expect(processExitsWith: .failure) { _ = try OutlivedContextTests.students().fault.studentName }
    await #expect(processExitsWith: .failure) { _ = try OutlivedContextTests.students().fault.studentDes }
    await #expect(processExitsWith: .failure) { _ = try OutlivedContextTests.students().read.schoolClass }
    await #expect(processExitsWith: .failure) { _ = try OutlivedContextTests.students().read.courses }
    await #expect(processExitsWith: .failure) { try OutlivedContextTests.students().read.studentName = "Grace" }
    await #expect(processExitsWith: .success) {
      let student = try OutlivedContextTests.students().read
      guard student.studentName == "Ada" else { fatalError("the value is gone") }
    }
  }
}
