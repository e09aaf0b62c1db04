import ObjectGraph
import TestSupport
import Testing

/// Semantic 7: optimistic locking, and the result of each merge policy. ``RandomProgramTests`` has all other conflicts.
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

    /// The versions of the conflicts that a save fails with.
    func conflicts() throws -> [[Int64]] {
      let error = #expect(throws: ObjectGraphError.self) { try ours.save() }
      let conflicts = try #require(error?.mergeConflicts, "\(error as Any)")
      #expect(conflicts.map(\.objectID) == [our.objectID])
      return conflicts.map { [$0.oldVersion, $0.newVersion] }
    }
  }

  @Test("7: both read version 1, one saves version 2, the other's save fails", arguments: Stack.types)
  func conflict(_ type: StoreType) throws {
    let race = try Race(type, .error)
    race.their.studentDes = "theirs"
    try race.theirs.save()
    race.our.studentDes = "ours"
    #expect(try race.conflicts() == [[1, 2]])
    // After a refresh it works.
    try race.ours.refresh(race.our, mergeChanges: true)
    try race.ours.save()
    #expect(try race.stored() == ["ours", "old"])
  }

  @Test("7: an update against a deleted row is a conflict, and overwriting keeps the ID", arguments: Stack.types)
  func updateOfDeleted(_ type: StoreType) throws {
    let race = try Race(type, .error)
    try race.theirs.delete(race.their)
    try race.theirs.save()
    race.our.studentDes = "ours"
    let id = race.our.objectID
    #expect(try race.conflicts() == [[1, 0]])
    race.ours.mergePolicy = .overwrite
    try race.ours.save()
    #expect(try race.stored() == ["ours", "old"] && race.our.objectID == id)
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
}

extension MergePolicy {
  /// Whether the context's values win.
  var isOurs: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }
}
