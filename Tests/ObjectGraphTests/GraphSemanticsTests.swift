import Foundation
import ObjectGraph
import SampleModels
import Testing

/// Semantics 21, 26 and 27: the store's files, batches and prefetching.
@Suite struct GraphSemanticsTests {
  @Test("21: a store in WAL mode has its log beside it, closing writes it back, and a lost main file is noticed")
  func files() throws {
    let stack = try Stack()
    _ = try stack.context.student("S1")
    try stack.context.save()
    let files = FileManager.default
    #expect(
      try Set(files.contentsOfDirectory(atPath: stack.directory.path)) == ["store.db", "store.db-wal", "store.db-shm"])
    let lost = stack.directory.appendingPathComponent("lost.db")
    try files.copyItem(atPath: "\(stack.url.path)-wal", toPath: "\(lost.path)-wal")
    #expect(throws: ObjectGraphError.self) {
      try PersistentStoreCoordinator(stack.model).addPersistentStore(.sqlite, at: lost)
    }
    try files.removeItem(atPath: "\(lost.path)-wal")
    try stack.coordinator.remove(stack.store)
    #expect(try files.contentsOfDirectory(atPath: stack.directory.path) == ["store.db"])
  }

  @Test("26: a batched fetch reads a batch at a time")
  func batches() throws {
    let stack = try Stack()
    for number in 1...100 { _ = try stack.context.student("S\(number)") }
    try stack.context.save()
    let request = FetchRequest<Student>()
    request.fetchBatchSize = 20
    let other = stack.otherContext()
    let students = try other.fetchInBatches(request)
    stack.clearStatements()
    #expect(students.count == 100 && students[0].studentId == "S1" && students[19].studentId == "S20")
    #expect(stack.selects.count == 1)
    #expect(students.map(\.studentId) == (1...100).map { "S\($0)" })
    #expect(stack.selects.count == 5)
    #expect(other.registeredObjects.count == 20)
  }

  @Test("27: prefetching reads what a relationship leads to in one go")
  func prefetching() throws {
    let stack = try Stack()
    let classes = try (0..<50).map { try stack.context.schoolClass($0) }
    for number in 0..<1_000 { try stack.context.student("S\(number)").schoolClass = classes[number % 50] }
    try stack.context.save()
    func walk(_ paths: [String]) throws -> Int {
      let request = FetchRequest<Student>()
      request.relationshipKeyPathsForPrefetching = paths
      let context = stack.otherContext()
      stack.clearStatements()
      let students = try context.fetch(request)
      #expect(Set(students.compactMap { $0.schoolClass?.classId }).count == 50)
      return stack.selects.count
    }
    #expect(try walk(["student_class"]) == 2)
    let faults = try walk([])
    #expect(51...1_001 ~= faults)
  }
}
