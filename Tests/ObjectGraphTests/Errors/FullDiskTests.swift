import Foundation
import ObjectGraph
import TestSupport
import Testing

/// A full disk is a typed error that names the file; the store stays as it was, and the changes can be saved later.
///
/// The system's limit on the size of files (RLIMIT_FSIZE) stops a write in the middle, as a full disk does.
@Suite struct FullDiskTests {
  /// Limits the size of the files that this process writes, or removes the limit. A write beyond it fails with EFBIG.
  private static func limitFiles(to size: Int?) throws {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    try #require(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
    limit.rlim_cur = size.map { rlim_t($0) } ?? limit.rlim_max
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
  }

  private static func isFull(_ error: ObjectGraphError) -> Bool {
    if case .diskFull(file: "store.db", _) = error { true } else { false }
  }

  @Test("A save that there is no room for", arguments: StoreHistory.types, [1, 5_000, 50_000, 150_000])
  func saving(_ type: StoreType, _ room: Int) async throws {
    let history = try StoreHistory.school(type)
    // SQLite has a file of 32 KB beside the store while it is open.
    let limit = max(try Data(contentsOf: history.url).count, 32_768) + room
    await #expect(processExitsWith: .success) {
      [path = history.url.path as String, type = type as StoreType, limit = limit as Int] in
      let context = try Stack.open(type, at: URL(fileURLWithPath: path), options: .migrating)
      let coordinator = context.persistentStoreCoordinator
      let other = ManagedObjectContext(coordinator, .confinement)
      let before = try Graph(other)
      for number in 1...1_000 {
        let student = try context.student("N\(number)")
        student.studentDes = String(repeating: "\(number) ", count: 100)
      }
      for student in try context.fetch(FetchRequest<Student>(where: Property("studentId").begins(with: "S"))) {
        student.studentPwd = "changed"
      }
      try FullDiskTests.limitFiles(to: limit)
      for _ in 0..<2 {
        let error = try #require(throws: ObjectGraphError.self) { try context.save() }
        #expect(FullDiskTests.isFull(error), "\(error)")
        #expect(context.insertedObjects.count == 1_000)
        #expect(context.insertedObjects.allSatisfy { $0.objectID.isTemporary })
        other.reset()
        #expect(try Graph(other) == before)
      }
      // With room again all of it fits.
      try FullDiskTests.limitFiles(to: nil)
      try context.save()
      #expect(!context.hasChanges)
      try coordinator.remove(coordinator.persistentStores[0])
    }
    try history.open(School.entities, .migrating) { context in
      let students = try context.fetch(FetchRequest<Student>())
      #expect(students.count == 1_011)
      #expect(students.allSatisfy { $0.studentPwd == ($0.studentId.hasPrefix("S") ? "changed" : nil) })
      // They follow each other; an attempt that got as far as taking keys has left them out.
      let keys = students.suffix(1_000).compactMap { Int($0.objectID.uriRepresentation.lastPathComponent.dropFirst()) }
      let first = try #require(keys.first)
      #expect(keys == Array(first..<first + 1_000) && [13, 1_013, 2_013].contains(first))
    }
    try checkIntegrity(history)
  }

  private func checkIntegrity(_ history: StoreHistory) throws {
    if history.type == .sqlite { #expect(try history.rows("PRAGMA integrity_check") == [["ok"]]) }
  }

  @Test("A store that there is no room to make", arguments: StoreHistory.types, [0, 100, 5_000, 20_000])
  func making(_ type: StoreType, _ limit: Int) async throws {
    let history = try StoreHistory(type)
    await #expect(processExitsWith: .success) {
      [path = history.url.path as String, type = type as StoreType, limit = limit as Int] in
      try FullDiskTests.limitFiles(to: limit)
      let error = try #require(throws: ObjectGraphError.self) {
        let context = try Stack.open(type, at: URL(fileURLWithPath: path), options: .migrating)
        // A whole file is first written by a save.
        try context.student("S1").studentDes = String(repeating: "long", count: 20_000)
        try context.save()
      }
      #expect(FullDiskTests.isFull(error), "\(error)")
    }
    // The unfinished file is no obstacle.
    try history.open(School.entities, .migrating) { try School.fill($0) }
    #expect(try history.graph(School.entities, .migrating).objects.count == 29)
    try checkIntegrity(history)
  }

  @Test("24: a migration that there is no room for", arguments: StoreHistory.types, [1, 20_000, 40_000])
  func migrating(_ type: StoreType, _ room: Int) async throws {
    let history = try StoreHistory.school(type, students: 800)
    let before = try history.graph(School.entities, .migrating)
    let size = try Data(contentsOf: history.url).count
    // The log begins anew. A file that is written whole is hardly smaller than before.
    let limit = type == .sqlite ? 32_768 + room : size - room
    await #expect(processExitsWith: .success) {
      [path = history.url.path as String, type = type as StoreType, limit = limit as Int] in
      try FullDiskTests.limitFiles(to: limit)
      let error = try #require(throws: ObjectGraphError.self) {
        try MigrationCrashTests.migrate(type, path)
      }
      #expect(FullDiskTests.isFull(error), "\(error)")
    }
    #expect(try history.graph(School.entities, .migrating.with { $0.migratesAutomatically = false }) == before)
    try checkIntegrity(history)
    let after = try history.graph(MigrationCrashTests.v2, .migrating)
    #expect(after.objects.keys.sorted() == before.objects.keys.sorted())
    for (name, values) in after.objects where name.hasPrefix("Students/") {
      let old = before.objects[name]?["studentDes"]
      #expect(values["grade"] == "1" && values["studentDes"] == (old == "NULL" ? "'none'" : old), "\(name)")
    }
  }
}
