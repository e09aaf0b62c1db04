import Foundation
import ObjectGraph
import TestSupport

/// A stress test: contexts on several threads insert, change, delete and fetch the same objects and merge each other's
/// saves, beside readers, some of which are pinned to one state of the store. `scripts/lab graph-stress` runs it under
/// the thread sanitizer.
///
///     graph-stress [SECONDS [CONTEXTS]]     default: 10 2
enum GraphStress {
  static func run(_ arguments: [String]) throws {
    guard arguments.count <= 2, let seconds = Int(arguments.first ?? "10"), seconds > 0,
      let contexts = Int(arguments.dropFirst().first ?? "2"), contexts > 1
    else { fail("say for how many seconds, and how many contexts (2 at least), or nothing", 64) }
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("graph-stress-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      print("\(seconds) s, \(contexts) contexts: \(try stress(contexts, for: .seconds(seconds), in: directory))")
    } catch {
      fail("\(error)", 1)
    }
  }

  /// Runs the workers, and compares their final state with the content of the store.
  private static func stress(_ count: Int, for duration: Duration, in directory: URL) throws -> String {
    let url = directory.appendingPathComponent("store.db")
    let coordinator = PersistentStoreCoordinator(try Students.model())
    try coordinator.addPersistentStore(.sqlite, at: url)
    try fill(coordinator)
    let workers = try (0..<count).map { try Worker($0, coordinator) }
    for worker in workers {
      for other in workers where other !== worker { worker.follow(other) }
    }
    let end = ContinuousClock.now + duration
    let readers = (0..<2).map { _ in Reader(coordinator) }
    let work: [@Sendable () -> Void] =
      workers.map { worker in { @Sendable in worker.work(until: end) } }
      + readers.map { reader in { @Sendable in reader.work(until: end) } }
    let threads = work.map { work in
      let done = DispatchSemaphore(value: 0)
      Thread {
        work()
        done.signal()
      }.start()
      return done
    }
    for done in threads { done.wait() }
    for reader in readers { try reader.finish() }
    // The changes of the last saves are merged in this order. A merge sends no notification.
    for worker in workers { try worker.finish() }

    let other = PersistentStoreCoordinator(try Students.model())
    try other.addPersistentStore(.sqlite, at: url)
    let context = ManagedObjectContext(other, .confinement)
    let shared = FetchRequest<Student>(
      where: Property("studentId").begins(with: "shared"), sortedBy: [SortKey("studentId")])
    let stored = try context.fetch(shared).map(Worker.line)
    var alone: [String] = []
    for worker in workers {
      let shown = try worker.shown()
      guard Array(shown.prefix(stored.count)) == stored else {
        throw StressFailure(description: "\(worker.context.name) shows \(shown), the store holds \(stored)")
      }
      alone += shown.dropFirst(stored.count)
    }
    let rest = FetchRequest<Student>(where: Property("studentId").begins(with: "own"), sortedBy: [SortKey("studentId")])
    guard try context.fetch(rest).map(\.studentId) == alone.sorted() else {
      throw StressFailure(description: "the store holds other students of one worker than the workers do")
    }
    let merges = workers.prefix(2).map(\.mergesIntoChanges)
    guard merges.allSatisfy({ $0 > 0 }) else {
      throw StressFailure(description: "no merge met unsaved changes (\(merges)); run it longer")
    }
    return "\(workers.map(\.saves).reduce(0, +)) saves, \(workers.map(\.merges).reduce(0, +)) merges, "
      + "\(merges.reduce(0, +)) of them into unsaved changes, \(readers.map(\.states).reduce(0, +)) states read twice; "
      + "all as it should be"
  }

  private static func fill(_ coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(coordinator, .confinement)
    for number in 1...4 {
      let made = try context.insert(SchoolClass.self)
      (made.classId, made.classNames) = (number, "Class \(number)")
    }
    for number in 1...6 {
      let made = try context.insert(Course.self)
      (made.courseId, made.courseName) = (number, "Course \(number)")
    }
    for number in 10..<40 {
      let made = try context.insert(Student.self)
      (made.studentId, made.studentName) = ("shared \(number)", "Student \(number)")
    }
    try context.save()
  }
}
