import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 7: optimistic locking, and what each merge policy makes of a conflict.
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

    /// What a context that has read nothing yet sees: Des and Pwd, or nothing.
    func stored() throws -> [String?]? {
      try stack.otherContext().fetch(FetchRequest<Student>()).first.map { [$0.studentDes, $0.studentPwd] }
    }

    /// Z_OPT, where it can be read.
    var version: Int? {
      get throws { stack.type == .sqlite ? try Database.number(stack.url, "SELECT Z_OPT FROM ZSTUDENTS") : nil }
    }
  }

  @Test("7: both read version 1, one saves version 2, the other's save fails and tells", arguments: Stack.types)
  func conflict(_ type: StoreType) throws {
    let race = try Race(type, .error)
    race.their.studentDes = "theirs"
    try race.theirs.save()
    race.our.studentDes = "ours"
    for _ in 1...2 {
      let error = #expect(throws: ObjectGraphError.self) { try race.ours.save() }
      guard case .conflicts(let conflicts) = error, let conflict = conflicts.first else {
        Issue.record("\(error.map { "\($0)" } ?? "no error") is no conflict")
        return
      }
      #expect(conflicts.count == 1)
      #expect(conflict.objectID == race.our.objectID)
      #expect(conflict.oldVersion == 1 && conflict.newVersion == 2)
      #expect(race.our.studentDes == "ours" && race.our.isUpdated)
      #expect(try race.stored() == ["theirs", "old"])
    }
    // After a look at the store it works.
    try race.ours.refresh(race.our, mergeChanges: true)
    try race.ours.save()
    #expect(try race.stored() == ["ours", "old"])
  }

  @Test("7: a conflict on one of many leaves everything unwritten", arguments: Stack.types)
  func nothingWritten(_ type: StoreType) throws {
    let race = try Race(type, .error)
    race.their.studentDes = "theirs"
    try race.theirs.save()
    race.our.studentDes = "ours"
    let new = (2...50).map { try? race.ours.student("S\($0)") }
    #expect(throws: ObjectGraphError.self) { try race.ours.save() }
    #expect(new.allSatisfy { $0?.objectID.isTemporary ?? false })
    #expect(try race.stack.otherContext().count(for: FetchRequest<Student>()) == 1)
  }

  /// Des was changed on both sides, Pwd on theirs only.
  @Test(
    "7: update against update", arguments: Stack.types,
    [
      (MergePolicy.mergeByPropertyStoreTrump, ["theirs", "theirs"]),
      (.mergeByPropertyObjectTrump, ["ours", "theirs"]), (.overwrite, ["ours", "old"]),
      (.rollback, ["theirs", "theirs"]),
    ] as [(MergePolicy, [String])])
  func updates(_ type: StoreType, _ outcome: (policy: MergePolicy, expected: [String])) throws {
    let (policy, expected): (MergePolicy, [String?]) = outcome
    let race = try Race(type, policy)
    race.their.studentDes = "theirs"
    race.their.studentPwd = "theirs"
    try race.theirs.save()
    race.our.studentDes = "ours"
    try race.ours.save()
    #expect(try race.stored() == expected)
    #expect([race.our.studentDes, race.our.studentPwd] == expected)
    #expect(!race.ours.hasChanges)
    // Where the store wins there is nothing to write.
    if let version = try race.version { #expect(version == (policy.isOurs ? 3 : 2)) }
    // And the next save starts from the right version.
    race.our.studentDes = "again"
    race.ours.mergePolicy = .error
    try race.ours.save()
    #expect(try race.stored()?[0] == "again")
  }

  /// Des was changed here, Pwd there.
  @Test(
    "7: updates of different properties", arguments: Stack.types,
    [
      (MergePolicy.mergeByPropertyStoreTrump, ["ours", "theirs"]),
      (.mergeByPropertyObjectTrump, ["ours", "theirs"]), (.overwrite, ["ours", "old"]),
      (.rollback, ["old", "theirs"]),
    ] as [(MergePolicy, [String])])
  func differentProperties(_ type: StoreType, _ outcome: (policy: MergePolicy, expected: [String])) throws {
    let (policy, expected): (MergePolicy, [String?]) = outcome
    let race = try Race(type, policy)
    race.their.studentPwd = "theirs"
    try race.theirs.save()
    race.our.studentDes = "ours"
    try race.ours.save()
    #expect(try race.stored() == expected)
    #expect([race.our.studentDes, race.our.studentPwd] == expected)
  }

  @Test("7: an update against a deleted row is a conflict", arguments: Stack.types, MergePolicy.allCases)
  func updateOfDeleted(_ type: StoreType, _ policy: MergePolicy) throws {
    let race = try Race(type, policy)
    try race.theirs.delete(race.their)
    try race.theirs.save()
    race.our.studentDes = "ours"
    let id = race.our.objectID
    switch policy {
    case .error:
      let error = #expect(throws: ObjectGraphError.self) { try race.ours.save() }
      guard case .conflicts(let conflicts) = error else { throw error ?? ObjectGraphError.invalidRequest("") }
      #expect(conflicts.map(\.oldVersion) == [1] && conflicts.map(\.newVersion) == [0])
      #expect(try race.stored() == nil)
      #expect(race.our.studentDes == "ours" && race.our.isUpdated)
    case .mergeByPropertyStoreTrump, .rollback:
      try race.ours.save()
      #expect(try race.stored() == nil)
      #expect(race.our.managedObjectContext == nil)
      #expect(try race.ours.existingObject(with: id) == nil)
    case .mergeByPropertyObjectTrump, .overwrite:
      try race.ours.save()
      #expect(try race.stored() == ["ours", "old"])
      #expect(race.our.objectID == id && race.our.managedObjectContext === race.ours && !race.our.hasChanges)
      race.our.studentDes = "again"
      try race.ours.save()
      #expect(try race.stored() == ["again", "old"])
    }
    #expect(policy == .error || !race.ours.hasChanges)
  }

  @Test("7: a deletion against an update is a conflict", arguments: Stack.types, MergePolicy.allCases)
  func deletionOfUpdated(_ type: StoreType, _ policy: MergePolicy) throws {
    let race = try Race(type, policy)
    race.their.studentDes = "theirs"
    try race.theirs.save()
    try race.ours.delete(race.our)
    switch policy {
    case .error:
      let error = #expect(throws: ObjectGraphError.self) { try race.ours.save() }
      guard case .conflicts(let conflicts) = error else { throw error ?? ObjectGraphError.invalidRequest("") }
      #expect(conflicts.map(\.oldVersion) == [1] && conflicts.map(\.newVersion) == [2])
      #expect(try race.stored() == ["theirs", "old"])
      #expect(race.our.isDeleted)
    case .mergeByPropertyStoreTrump, .rollback:
      try race.ours.save()
      #expect(try race.stored() == ["theirs", "old"])
      #expect(race.our.managedObjectContext === race.ours && !race.our.isDeleted)
      #expect(race.our.studentDes == "theirs")
      if let version = try race.version { #expect(version == 2) }
    case .mergeByPropertyObjectTrump, .overwrite:
      try race.ours.save()
      #expect(try race.stored() == nil)
      #expect(race.our.managedObjectContext == nil)
    }
    #expect(policy == .error || !race.ours.hasChanges)
  }

  @Test("7: both have deleted it: there is no conflict", arguments: Stack.types, MergePolicy.allCases)
  func bothDeleted(_ type: StoreType, _ policy: MergePolicy) throws {
    let race = try Race(type, policy)
    try race.theirs.delete(race.their)
    try race.theirs.save()
    try race.ours.delete(race.our)
    try race.ours.save()
    #expect(try race.stored() == nil)
    #expect(race.our.managedObjectContext == nil)
  }

  @Test("7: what another process saves is noticed like what another context does", arguments: MergePolicy.allCases)
  func otherProcess(_ policy: MergePolicy) throws {
    let race = try Race(.sqlite, policy)
    _ = try Child.output("graph-child", "sqlite", race.stack.url.path, "change", "S1", "theirs")
    race.our.studentDes = "ours"
    race.our.studentPwd = "ours"
    if policy == .error {
      let error = #expect(throws: ObjectGraphError.self) { try race.ours.save() }
      let conflicts = try #require(error?.mergeConflicts)
      #expect(conflicts.map(\.oldVersion) == [1] && conflicts.map(\.newVersion) == [2])
      #expect(try race.stored() == ["theirs", "old"])
      return
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

  @Test("7: nor is another process's save lost where the whole file is written", arguments: [StoreType.binary, .xml])
  func otherProcessAndFiles(_ type: StoreType) throws {
    let race = try Race(type, .overwrite)
    _ = try Child.output("graph-child", type.rawValue, race.stack.url.path, "change", "S1", "theirs")
    race.our.studentPwd = "ours"
    let error = #expect(throws: ObjectGraphError.self) { try race.ours.save() }
    #expect(error?.description.contains("store.db") == true)
    #expect(race.our.studentPwd == "ours" && race.our.isUpdated)
    let fresh = try race.stack.forgetful()
    let student = try #require(try fresh.fetch(FetchRequest<Student>()).first)
    #expect(student.studentDes == "theirs" && student.studentPwd == "old")
  }

  @Test("7: a policy may meet another conflict, and the save after a failed one is a whole one")
  func failureAfterConflict() throws {
    let race = try Race(.sqlite, .mergeByPropertyObjectTrump)
    race.their.studentDes = "theirs"
    try race.theirs.save()
    race.our.studentDes = "ours"
    let invalid = try race.ours.insert(Student.self)
    #expect(throws: ObjectGraphError.self) { try race.ours.save() }
    #expect(race.our.studentDes == "ours" && race.our.isUpdated && invalid.isInserted)
    #expect(try race.stored() == ["theirs", "old"])
    (invalid.studentId, invalid.studentName) = ("S2", "Bob")
    try race.ours.save()
    #expect(try race.stored() == ["ours", "old"])
    #expect(try race.stack.otherContext().count(for: FetchRequest<Student>()) == 2)
  }
}

extension MergePolicy {
  fileprivate var isOurs: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }
}
