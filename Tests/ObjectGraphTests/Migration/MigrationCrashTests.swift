import Foundation
import ObjectGraph
import TestSupport
import Synchronization
import Testing

/// Semantic 24: a failure at any point of a migration leaves the older model's store.
@Suite struct MigrationCrashTests {
  /// A model whose migration copies, alters, makes and drops tables, and changes every row.
  static let v2 =
    School.entities
    .redefining(
      RelationshipDescription("student_class", toMany: "Classes", inverse: "class_students"), of: "Students"
    )
    .redefining(AttributeDescription("studentDes", .string, optional: false, default: "none"), of: "Students")
    .adding(AttributeDescription("grade", .integer16, optional: false, default: 1), to: "Students")
    .redefining(AttributeDescription("topic", .string, renamedFrom: "courseName"), of: "Courses")
    .adding(AttributeDescription("courseName", .binary), to: "Courses")
    + [EntityDescription("Absences", attributes: [AttributeDescription("day", .date)])]

  /// Opens a store with the second model.
  @discardableResult
  static func migrate(
    _ type: StoreType, _ path: String, _ options: StoreOptions = .migrating
  ) throws -> ManagedObjectContext {
    try Stack.open(type, at: URL(fileURLWithPath: path), model: ManagedObjectModel(v2), options: options)
  }

  /// Checks that it is a whole store of the first model, and that it can be migrated after all.
  private func checkUntouched(_ history: StoreHistory, _ before: Graph) throws {
    #expect(try history.graph() == before)
    #expect(try history.rows("PRAGMA integrity_check") == [["ok"]])
    let migrated = try history.graph(Self.v2, .migrating)
    #expect(migrated.objects.count == before.objects.count)
    #expect(migrated.objects["Students/1"]?["grade"] == "1")
  }

  @Test("24: SIGKILL after any statement of a migration")
  func killed() async throws {
    let original = try StoreHistory.school()
    let before = try original.graph(School.entities, .migrating)
    // A rehearsal counts the statements.
    let rehearsal = try original.copy()
    try rehearsal.open(Self.v2, .migrating) { _ in }
    let commit = try #require(rehearsal.statements.firstIndex(of: "COMMIT"))
    let begin = try #require(rehearsal.statements.firstIndex(of: "BEGIN IMMEDIATE"))
    #expect(commit - begin > 20)
    for number in Array(stride(from: begin, to: commit, by: 4)) + [commit - 1, commit] {
      let history = try original.copy()
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = history.url.path as String, number = number as Int] in
        let count = Atomic(0)
        var options = StoreOptions.migrating
        options.sqlTrace = { _ in
          if count.add(1, ordering: .relaxed).newValue > number { kill(getpid(), SIGKILL) }
        }
        try MigrationCrashTests.migrate(.sqlite, path, options)
      }
      if number < commit {
        try checkUntouched(history, before)
      } else {
        // A committed migration stays.
        #expect(try history.graph(Self.v2, .migrating).objects.count == before.objects.count)
        #expect(!history.statements.contains("BEGIN IMMEDIATE"))
      }
    }
  }

  @Test("24: SIGKILL in the middle of a statement that is writing")
  func killedWriting() async throws {
    let history = try StoreHistory.school(students: 7_500)
    // The rows are long, so that the migration writes to the log before it commits.
    try history.edit { context in
      let filler = String(repeating: "x", count: 300)
      for student in try context.fetch(FetchRequest<Student>()) {
        (student.studentName, student.studentPwd) = (String(filler.prefix(100)), filler)
      }
    }
    let before = try history.graph(School.entities, .migrating)
    let log = history.url.path + "-wal"
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = history.url.path as String, log = log as String] in
      // More than SQLite's cache holds has to go to the file before the end; then the process dies.
      let isBegun = Mutex(false)
      let watch = Thread {
        while true {
          var status = stat()
          if isBegun.withLock({ $0 }), stat(log, &status) == 0, status.st_size > 500_000 { kill(getpid(), SIGKILL) }
          usleep(100)
        }
      }
      watch.start()
      var options = StoreOptions.migrating
      options.sqlTrace = { trace in
        isBegun.withLock { $0 = $0 || trace.sql == "BEGIN IMMEDIATE" }
        // Waits for the signal.
        if trace.sql.hasPrefix("UPDATE ZSTUDENTS") { sleep(60) }
      }
      try MigrationCrashTests.migrate(.sqlite, path, options)
    }
    var status = stat()
    #expect(stat(log, &status) == 0 && status.st_size > 500_000)
    try checkUntouched(history, before)
  }

  @Test("24: of several that open a store at once, one migrates it", arguments: StoreHistory.types)
  func concurrently(_ type: StoreType) async throws {
    let history = try StoreHistory.school(type)
    let path = history.url.path
    let log = StatementLog()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let context = try Self.migrate(type, path, .migrating.with { $0.sqlTrace = log.add })
          let count = try context.count(for: FetchRequest<ManagedObject>("Students"))
          let coordinator = context.persistentStoreCoordinator
          try coordinator.remove(coordinator.persistentStores[0])
          return count
        }
      }
      for try await count in group { #expect(count == 11) }
    }
    if type == .sqlite {
      #expect(log.texts.filter { $0.hasPrefix("INSERT INTO Z_MODELCACHE") }.count == 1)
    }
    // Nothing was done twice, and nothing left behind.
    #expect(try FileManager.default.contentsOfDirectory(atPath: history.directory.path) == ["store.db"])
    #expect(try history.open(Self.v2) { try Graph($0).objects["Students/1"]?["grade"] } == "1")
  }
}
