import Foundation
import ObjectGraph
import TestSupport
import Synchronization

/// Contexts on a separate thread that read beside the workers. One is pinned to a state of the store and must see the
/// same twice, as must another one that shares its state. A third one reads the present state.
final class Reader: @unchecked Sendable {
  // Sendable because mutable state is used on one thread, and read after that has ended.

  private let coordinator: PersistentStoreCoordinator
  private(set) var states = 0
  /// The number of states that differed from the previous one.
  private(set) var changes = 0
  private var failure: (any Error)?

  init(_ coordinator: PersistentStoreCoordinator) { self.coordinator = coordinator }

  func work(until end: ContinuousClock.Instant) {
    do {
      let pinned = ManagedObjectContext(coordinator, .confinement)
      try pinned.setQueryGenerationFrom(.current)
      let free = ManagedObjectContext(coordinator, .confinement)
      var last: [String] = []
      while ContinuousClock.now < end {
        let before = try lines(pinned)
        try walk(free)
        let joined = ManagedObjectContext(coordinator, .confinement)
        try joined.setQueryGenerationFrom(pinned.queryGenerationToken)
        try pinned.refreshAllObjects()
        guard try lines(pinned) == before, try lines(joined) == before else {
          throw StressFailure(description: "a pinned context saw two states")
        }
        states += 1
        if before != last { changes += 1 }
        last = before
        // Moves to the newest state.
        pinned.reset()
      }
    } catch {
      failure = error
    }
  }

  /// - Throws: The first failure of the reads.
  func finish() throws {
    if let failure { throw failure }
    guard changes > 1 else { throw StressFailure(description: "readers saw nothing change; run it longer") }
  }

  /// Returns everything that a context shows of the students, by fetches and by faults.
  private func lines(_ context: ManagedObjectContext) throws -> [String] {
    let students = try context.fetch(FetchRequest<Student>(sortedBy: [SortKey("studentId")]))
    guard try context.count(for: FetchRequest<Student>()) == students.count else {
      throw StressFailure(description: "a pinned context counts what it does not find")
    }
    return try students.map(Worker.line)
  }

  /// Reads faults while other contexts save. It may see several states.
  private func walk(_ context: ManagedObjectContext) throws {
    for id in try context.fetchObjectIDs(FetchRequest<Student>()) {
      guard let student = context.object(with: id) as? Student else { continue }
      _ = (student.studentName, student.schoolClass?.classNames)
    }
    context.reset()
  }
}
