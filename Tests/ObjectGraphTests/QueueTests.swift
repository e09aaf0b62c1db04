import ObjectGraph
import TestSupport
import Synchronization
import Testing

/// Semantic 16: contexts on one coordinator, each on its own serial queue.
@Suite struct QueueTests {
  @Test("16: a block is re-entered without waiting for itself, and its result and error come back")
  func reentrant() throws {
    let stack = try Stack()
    let context = ManagedObjectContext(stack.coordinator)
    let count = try context.performAndWait {
      try context.performAndWait {
        _ = try context.student("S1")
        try context.performAndWait { try context.save() }
      }
      return try context.studentCount()
    }
    #expect(count == 1)
    #expect(throws: ObjectGraphError.self) { try context.performAndWait { _ = try context.insert("Nobody") } }
    context.performAndWait { #expect(!context.hasChanges) }
  }

  @Test("16: a block may come back to a context that waits for it")
  func throughAnother() throws {
    let stack = try Stack()
    let (first, second) = (ManagedObjectContext(stack.coordinator), ManagedObjectContext(stack.coordinator))
    try first.performAndWait {
      let student = try first.student("S1")
      try second.performAndWait {
        try second.savedStudent("S2")
        // The first one waits for this block: its objects may be used.
        try first.performAndWait {
          student.studentName = "Grace"
          try first.save()
        }
      }
      #expect(student.studentName == "Grace" && !first.hasChanges)
    }
    #expect(try stack.context.studentCount() == 2)
  }

  @Test("16: blocks run one after the other, in order, and the changes they make are processed")
  func serial() async throws {
    let stack = try Stack()
    let context = ManagedObjectContext(stack.coordinator)
    let order = Mutex<[Int]>([])
    for number in 0..<200 {
      schedule(context) {
        order.withLock { $0.append(number) }
        _ = try? context.student("S\(number)")
      }
    }
    let count = try await context.perform {
      // Waiting for the last one is waiting for all.
      try context.save()
      return try context.studentCount()
    }
    #expect(count == 200)
    #expect(order.withLock { $0 } == Array(0..<200))
    // The rules of a deletion are carried out when its block ends.
    let id = try await context.perform {
      let student = try context.findStudent("S7")
      student.schoolClass = try context.schoolClass(1)
      try context.save()
      return student.objectID
    }
    schedule(context) { try? context.delete(context.object(with: id)) }
    try await context.perform {
      #expect(try context.fetch(FetchRequest<SchoolClass>()).map(\.students) == [[]])
      try context.save()
    }
    await #expect(throws: ObjectGraphError.self) { try await context.perform { _ = try context.insert("Nobody") } }
  }

  @Test("16: many contexts at once, each on a thread of its own, lose nothing", arguments: Stack.types)
  func concurrent(_ type: StoreType) async throws {
    let stack = try Stack(type)
    let coordinator = stack.coordinator
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          let context = ManagedObjectContext(coordinator)
          for round in 0..<5 {
            try await context.perform {
              for number in 0..<4 { _ = try context.student("S\(worker)-\(round)-\(number)") }
              try context.save()
              let own = FetchRequest<Student>(where: Property("studentId").begins(with: "S\(worker)-"))
              let found = try context.fetch(own)
              #expect(found.count == 4 * (round + 1))
              for student in found { student.studentDes = "seen in \(round)" }
              try context.save()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    // Tasks go from thread to thread, so this context has a queue, too.
    let reading = ManagedObjectContext(coordinator)
    try reading.performAndWait {
      let students = try reading.fetch(FetchRequest<Student>())
      #expect(Set(students.map(\.studentId)).count == 120 && students.count == 120)
      #expect(students.allSatisfy { $0.studentDes == "seen in 4" })
      #expect(Set(students.map(\.objectID)).count == 120)
    }
  }

  @Test("16, 17: contexts on as many threads that merge each other's saves lose nothing unsaved", arguments: [2, 5])
  func stress(_ contexts: Int) throws {
    // scripts/lab graph-stress does the same under the thread sanitizer, for longer.
    let (output, status) = try Child("graph-stress", ["1", "\(contexts)"]).finish()
    #expect(status == 0)
    #expect(output.contains("all as it should be"))
  }

  /// Runs a block later, without waiting for it: an async function would call the perform that waits.
  private func schedule(_ context: ManagedObjectContext, _ body: @escaping @Sendable () -> Void) {
    context.perform(body)
  }

  #if DEBUG || CHECKS_QUEUES
    /// A context with a queue, and a student in it.
    private static func queued() throws -> (context: ManagedObjectContext, student: Student) {
      let context = ManagedObjectContext(try Stack().coordinator)
      return try context.performAndWait { (context, try context.student("S1")) }
    }

    @Test("16: a build that checks queues stops who uses a context, or an object of it, off its queue")
    func offQueue() async {
      await #expect(processExitsWith: .failure) { _ = try QueueTests.queued().context.student("S2") }
      await #expect(processExitsWith: .failure) {
        let (context, student) = try QueueTests.queued()
        withExtendedLifetime(context) { _ = student.studentName }
      }
      await #expect(processExitsWith: .failure) {
        let (context, student) = try QueueTests.queued()
        let other = ManagedObjectContext(context.persistentStoreCoordinator)
        other.performAndWait { student.studentName = "Bob" }
      }
      // A context that belongs to a thread, on another one.
      await #expect(processExitsWith: .failure) {
        let context = try Stack().otherContext()
        try startThread { context.performAndWait {} }()
      }
      // The same calls where they belong.
      await #expect(processExitsWith: .success) {
        let (context, student) = try QueueTests.queued()
        context.performAndWait { student.studentName = "Bob" }
        let stack = try Stack()
        stack.context.performAndWait {}
        _ = try stack.context.student("S2")
      }
    }
  #endif
}
