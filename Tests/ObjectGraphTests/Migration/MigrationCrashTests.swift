import Foundation
import ObjectGraph
import TestSupport
import Synchronization
import Testing

/// Semantic 24: a failure at any point of a migration leaves the older model's store.
@Suite struct MigrationCrashTests {
  /// A model whose migration copies, alters, makes and drops tables, and changes every row.
  static let v2 =
    School.entities.replacing(
      "student_class", of: "Students",
      by: RelationshipDescription("student_class", toMany: "Classes", inverse: "class_students")
    ).replacing(
      "studentDes", of: "Students", by: AttributeDescription("studentDes", .string, optional: false, default: "none")
    )
    .adding(AttributeDescription("grade", .integer16, optional: false, default: 1), to: "Students")
    .replacing("courseName", of: "Courses", by: AttributeDescription("topic", .string, renamedFrom: "courseName"))
    .adding(AttributeDescription("courseName", .binary), to: "Courses")
    + [EntityDescription("Absences", attributes: [AttributeDescription("day", .date)])]

  /// A store of the first model, with rows enough that a migration has to write before it commits.
  private func filled(students: Int) throws -> StoreHistory {
    let history = try StoreHistory()
    try history.open(School.entities) { context in
      try School.fill(context, students: students)
      let filler = String(repeating: "x", count: students > 100 ? 300 : 1)
      for student in try context.fetch(FetchRequest<Student>()) {
        (student.studentName, student.studentPwd) = (String(filler.prefix(100)), filler)
      }
      try context.save()
    }
    return history
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
    let original = try filled(students: 12)
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
        let count = Mutex(0)
        var options = StoreOptions.migrating
        options.sqlTrace = { _ in
          let isLast = count.withLock { count in
            count += 1
            return count > number
          }
          if isLast { kill(getpid(), SIGKILL) }
        }
        let coordinator = PersistentStoreCoordinator(try ManagedObjectModel(MigrationCrashTests.v2))
        try coordinator.addPersistentStore(.sqlite, at: URL(fileURLWithPath: path), options: options)
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
    let history = try filled(students: 7_500)
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
      let coordinator = PersistentStoreCoordinator(try ManagedObjectModel(MigrationCrashTests.v2))
      try coordinator.addPersistentStore(.sqlite, at: URL(fileURLWithPath: path), options: options)
    }
    var status = stat()
    #expect(stat(log, &status) == 0 && status.st_size > 500_000)
    try checkUntouched(history, before)
  }

  @Test("24: SIGKILL while a file is written that takes the old one's place", arguments: [StoreType.binary, .xml])
  func killedReplacing(_ type: StoreType) async throws {
    let original = try StoreHistory.school(type, students: 700)
    let before = try original.graph()
    let size = try Data(contentsOf: original.url).count
    // From the first byte of the new file to the last, and the moment in which it takes the old one's place.
    for part in repetitions(1) > 1 ? Array(0...5) : [0, 3, 5] {
      let history = try original.copy()
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = history.url.path as String, type = type.rawValue as String, least = size * part / 5 as Int] in
        let new = URL(fileURLWithPath: path).deletingLastPathComponent().path + "/.store.db.new"
        Thread {
          while true {
            var status = stat()
            if stat(new, &status) == 0, status.st_size >= least { kill(getpid(), SIGKILL) }
          }
        }.start()
        let coordinator = PersistentStoreCoordinator(try ManagedObjectModel(MigrationCrashTests.v2))
        try coordinator.addPersistentStore(
          try #require(StoreType(rawValue: type)), at: URL(fileURLWithPath: path), options: .migrating)
        // The new file was not seen in time.
        kill(getpid(), SIGKILL)
      }
      // Either all of it or nothing.
      do {
        let left = try history.graph()
        #expect(left == before)
      } catch ObjectGraphError.incompatibleModel {
        // It is the new one.
      }
      let migrated = try history.graph(Self.v2, .migrating)
      #expect(migrated.objects.count == before.objects.count)
      #expect(migrated.objects["Students/1"]?["grade"] == "1")
      #expect(try FileManager.default.contentsOfDirectory(atPath: history.directory.path).contains("store.db"))
    }
  }

  @Test("24: an error in the middle of a migration")
  func failing() throws {
    let history = try filled(students: 12)
    let before = try history.graph()
    // A table that is in the way of a later step.
    try history.rows("CREATE TABLE ZABSENCES (x)")
    let bytes = try history.bytes()
    let error = try #require(throws: ObjectGraphError.self) { try history.open(Self.v2, .migrating) { _ in } }
    #expect("\(error)".contains("store.db"))
    #expect(history.statements.contains { $0.hasPrefix("INSERT INTO Z__NEW_Z_2CLASS_STUDENTS") })
    #expect(history.statements.contains("ROLLBACK"))
    #expect(try history.bytes() == bytes)
    try history.rows("DROP TABLE ZABSENCES")
    try checkUntouched(history, before)
  }

  @Test("24: of several that open a store at once, one migrates it", arguments: StoreHistory.types)
  func concurrently(_ type: StoreType) async throws {
    let history = try StoreHistory.school(type)
    let url = history.url
    let model = try ManagedObjectModel(Self.v2)
    let log = StatementLog()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var options = StoreOptions.migrating
          options.sqlTrace = log.add
          let coordinator = PersistentStoreCoordinator(model)
          let store = try coordinator.addPersistentStore(type, at: url, options: options)
          let context = ManagedObjectContext(coordinator, .confinement)
          let count = try context.count(for: FetchRequest<ManagedObject>("Students"))
          try coordinator.remove(store)
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
