import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 7: optimistic locking, and the result of each merge policy.
@Suite struct MergePolicyTests {
  /// Two contexts that have read the same student: Des "old", Pwd "old".
  private struct Race {
    let stack: Stack
    let ours: ManagedObjectContext
    let theirs: ManagedObjectContext
    let our: Student
    let their: Student

    init(_ type: StoreType, _ policy: MergePolicy) throws {
      stack = try Stack(type)
      let student = try stack.context.student("S1")
      student.studentDes = "old"
      student.studentPwd = "old"
      try stack.context.save()
      ours = stack.context
      our = student
      ours.mergePolicy = policy
      theirs = stack.otherContext()
      their = try #require(try theirs.fetch(FetchRequest<Student>()).first)
    }

    /// Des and Pwd in the store, or nil if the student is gone.
    func stored() throws -> [String?]? {
      try stack.otherContext().fetch(FetchRequest<Student>()).first.map { [$0.studentDes, $0.studentPwd] }
    }

    /// Saves Des and perhaps Pwd in the other context.
    func saveTheirs(des: String? = "theirs", pwd: String? = nil) throws {
      if let des { their.studentDes = des }
      if let pwd { their.studentPwd = pwd }
      try theirs.save()
    }

    func deleteTheirs() throws {
      try theirs.delete(their)
      try theirs.save()
    }

    /// The versions of the conflicts that a save fails with.
    func conflicts() throws -> [[Int64]] {
      let error = #expect(throws: ObjectGraphError.self) { try ours.save() }
      let conflicts = try #require(error?.mergeConflicts, "\(error as Any)")
      #expect(conflicts.map(\.objectID) == [our.objectID])
      return conflicts.map { [$0.oldVersion, $0.newVersion] }
    }

    /// Z_OPT, where it can be read.
    var version: Int? {
      get throws { stack.type == .sqlite ? try Database.number(stack.url, "SELECT Z_OPT FROM ZSTUDENTS") : nil }
    }
  }

  @Test("7: both read version 1, one saves version 2, the other's save fails as a whole", arguments: Stack.types)
  func conflict(_ type: StoreType) throws {
    let race = try Race(type, .error)
    try race.saveTheirs()
    race.our.studentDes = "ours"
    let new = try (2...50).map { try race.ours.student("S\($0)") }
    for _ in 1...2 {
      #expect(try race.conflicts() == [[1, 2]])
      #expect(race.our.studentDes == "ours" && race.our.isUpdated)
      #expect(new.allSatisfy { $0.objectID.isTemporary })
      #expect(try race.stored() == ["theirs", "old"])
      #expect(try race.stack.otherContext().studentCount() == 1)
    }
    // After a refresh it works.
    try race.ours.refresh(race.our, mergeChanges: true)
    try race.ours.save()
    #expect(try race.stored() == ["ours", "old"])
    #expect(try race.stack.otherContext().studentCount() == 50)
  }

  /// The values of Des and Pwd that another context saves while Des is changed here, and the result of a policy.
  struct Update: Sendable {
    let policy: MergePolicy
    var des: String?
    var pwd: String?
    let expected: [String?]

    static let all = [
      Update(policy: .mergeByPropertyStoreTrump, des: "theirs", pwd: "theirs", expected: ["theirs", "theirs"]),
      Update(policy: .mergeByPropertyObjectTrump, des: "theirs", pwd: "theirs", expected: ["ours", "theirs"]),
      Update(policy: .overwrite, des: "theirs", pwd: "theirs", expected: ["ours", "old"]),
      Update(policy: .rollback, des: "theirs", pwd: "theirs", expected: ["theirs", "theirs"]),
      Update(policy: .mergeByPropertyStoreTrump, pwd: "theirs", expected: ["ours", "theirs"]),
      Update(policy: .mergeByPropertyObjectTrump, pwd: "theirs", expected: ["ours", "theirs"]),
      Update(policy: .overwrite, pwd: "theirs", expected: ["ours", "old"]),
      Update(policy: .rollback, pwd: "theirs", expected: ["old", "theirs"]),
    ]
  }

  @Test("7: update against update", arguments: Stack.types, Update.all)
  func updates(_ type: StoreType, _ update: Update) throws {
    let race = try Race(type, update.policy)
    try race.saveTheirs(des: update.des, pwd: update.pwd)
    race.our.studentDes = "ours"
    try race.ours.save()
    #expect(try race.stored() == update.expected)
    #expect([race.our.studentDes, race.our.studentPwd] == update.expected)
    #expect(!race.ours.hasChanges)
    // There is nothing to write if the store wins.
    if let version = try race.version { #expect(version == (update.expected[0] == "ours" ? 3 : 2)) }
    // The next save starts from the right version.
    race.our.studentDes = "again"
    race.ours.mergePolicy = .error
    try race.ours.save()
    #expect(try race.stored()?[0] == "again")
  }

  @Test("7: an update against a deleted row is a conflict", arguments: Stack.types, MergePolicy.allCases)
  func updateOfDeleted(_ type: StoreType, _ policy: MergePolicy) throws {
    let race = try Race(type, policy)
    try race.deleteTheirs()
    race.our.studentDes = "ours"
    let id = race.our.objectID
    if policy == .error {
      #expect(try race.conflicts() == [[1, 0]])
      #expect(try race.stored() == nil)
      return #expect(race.our.studentDes == "ours" && race.our.isUpdated)
    }
    try race.ours.save()
    #expect(!race.ours.hasChanges)
    guard policy.isOurs else {
      #expect(try race.stored() == nil && race.ours.existingObject(with: id) == nil)
      return #expect(race.our.managedObjectContext == nil)
    }
    #expect(try race.stored() == ["ours", "old"])
    #expect(race.our.objectID == id && race.our.managedObjectContext === race.ours && !race.our.hasChanges)
    race.our.studentDes = "again"
    try race.ours.save()
    #expect(try race.stored() == ["again", "old"])
  }

  @Test("7: a deletion against an update is a conflict", arguments: Stack.types, MergePolicy.allCases)
  func deletionOfUpdated(_ type: StoreType, _ policy: MergePolicy) throws {
    let race = try Race(type, policy)
    try race.saveTheirs()
    try race.ours.delete(race.our)
    if policy == .error {
      #expect(try race.conflicts() == [[1, 2]])
      #expect(try race.stored() == ["theirs", "old"])
      return #expect(race.our.isDeleted)
    }
    try race.ours.save()
    #expect(!race.ours.hasChanges)
    guard !policy.isOurs else {
      #expect(try race.stored() == nil)
      return #expect(race.our.managedObjectContext == nil)
    }
    #expect(try race.stored() == ["theirs", "old"])
    #expect(race.our.managedObjectContext === race.ours && !race.our.isDeleted)
    #expect(race.our.studentDes == "theirs")
    if let version = try race.version { #expect(version == 2) }
  }

  @Test("7: both have deleted it: there is no conflict", arguments: Stack.types, MergePolicy.allCases)
  func bothDeleted(_ type: StoreType, _ policy: MergePolicy) throws {
    let race = try Race(type, policy)
    try race.deleteTheirs()
    try race.ours.delete(race.our)
    try race.ours.save()
    #expect(try race.stored() == nil)
    #expect(race.our.managedObjectContext == nil)
  }

  @Test("7: a save of another process is a conflict like one of another context", arguments: MergePolicy.allCases)
  func otherProcess(_ policy: MergePolicy) throws {
    let race = try Race(.sqlite, policy)
    _ = try Child.output("graph-child", "sqlite", race.stack.url.path, "change", "S1", "theirs")
    race.our.studentDes = "ours"
    race.our.studentPwd = "ours"
    if policy == .error {
      #expect(try race.conflicts() == [[1, 2]])
      return #expect(try race.stored() == ["theirs", "old"])
    }
    try race.ours.save()
    let expected: [String?] =
      switch policy {
      case .mergeByPropertyStoreTrump: ["theirs", "ours"]
      case .rollback: ["theirs", "old"]
      default: ["ours", "ours"]
      }
    #expect(try race.stored() == expected)
    #expect([race.our.studentDes, race.our.studentPwd] == expected)
    _ = try Child.output("graph-child", "sqlite", race.stack.url.path, "delete", "S1")
    race.our.studentDes = "again"
    try race.ours.save()
    #expect(try Child.output("graph-child", "sqlite", race.stack.url.path, "count") == (policy.isOurs ? "1" : "0"))
    #expect((race.our.managedObjectContext == nil) == !policy.isOurs)
  }

  @Test(
    "7: a save of another process is not lost where the whole file is written", arguments: [StoreType.binary, .xml])
  func otherProcessAndFiles(_ type: StoreType) throws {
    let race = try Race(type, .overwrite)
    _ = try Child.output("graph-child", type.rawValue, race.stack.url.path, "change", "S1", "theirs")
    race.our.studentPwd = "ours"
    let error = #expect(throws: ObjectGraphError.self) { try race.ours.save() }
    #expect(error?.description.contains("store.db") == true)
    #expect(race.our.studentPwd == "ours" && race.our.isUpdated)
    let fresh = try race.stack.forgetful()
    let student = try fresh.findStudent("S1")
    #expect(student.studentDes == "theirs" && student.studentPwd == "old")
  }

  @Test("7: a policy may meet another conflict, and the save after a failed one is a whole one")
  func failureAfterConflict() throws {
    let race = try Race(.sqlite, .mergeByPropertyObjectTrump)
    try race.saveTheirs()
    race.our.studentDes = "ours"
    let invalid = try race.ours.insert(Student.self)
    #expect(throws: ObjectGraphError.self) { try race.ours.save() }
    #expect(race.our.studentDes == "ours" && race.our.isUpdated && invalid.isInserted)
    #expect(try race.stored() == ["theirs", "old"])
    (invalid.studentId, invalid.studentName) = ("S2", "Bob")
    try race.ours.save()
    #expect(try race.stored() == ["ours", "old"])
    #expect(try race.stack.otherContext().studentCount() == 2)
  }
}

extension MergePolicy {
  /// Whether the context's values win.
  var isOurs: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }
}
