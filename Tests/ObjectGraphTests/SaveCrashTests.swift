import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 1: the store holds all or nothing of a save whose process is killed.
///
/// `OBJECT_GRAPH_KILLS=100` kills as often as that; see `scripts/lab graph-kills`.
@Suite(.serialized) struct SaveCrashTests {
  private static let kills = ProcessInfo.processInfo.environment["OBJECT_GRAPH_KILLS"].flatMap(Int.init) ?? 10

  /// A store in the first state of a crowd, and the copy that the last save changed.
  private final class Ground {
    private let original: StoreHistory
    private var copy: StoreHistory

    init(_ type: StoreType) throws {
      original = try StoreHistory(type)
      try original.open(Students.entities) { try Crowd.fill($0) }
      copy = original
    }

    /// Starts the save of a new copy.
    func child(_ arguments: String...) throws -> Child {
      copy = try original.copy()
      return try Child("graph-child", [copy.type.rawValue, copy.url.path, "crowd"] + arguments)
    }

    /// The time and the number of statements of a complete save.
    func rehearse() throws -> (microseconds: Int, statements: Int) {
      let (output, status) = try child().finish()
      let words = try #require(output.split(separator: "\n").last).split(separator: " ")
      try #require(status == 0 && words.count == 3 && words[0] == "saved")
      #expect(try isSaved())
      return (try #require(Int(words[1])), try #require(Int(words[2])))
    }

    /// Whether the store is in the second state; it must be in one of the two, and usable.
    func isSaved() throws -> Bool {
      let context = try Stack.open(copy.type, at: copy.url)
      let (first, second) = Crowd.states
      let found = try Crowd.lines(context)
      try #require(found == first || found == second, "\(found.count) students, some of either state")
      // Keys that were given out in vain may be given again; those in use may not.
      let student = try context.savedStudent("S9999")
      #expect(try context.studentCount() == found.count + 1)
      #expect(try context.existingObject(with: student.objectID) === student)
      if copy.type == .sqlite {
        #expect(try copy.rows("PRAGMA integrity_check") == [["ok"]])
        let last = "SELECT Z_MAX - (SELECT MAX(Z_PK) FROM ZSTUDENTS) FROM Z_PRIMARYKEY WHERE Z_NAME = 'Students'"
        #expect(try copy.rows(last) == [["0"]])
      }
      return found == second
    }
  }

  @Test("1: SIGKILL at any moment of a save of 1,000 objects", arguments: StoreHistory.types)
  func atAnyMoment(_ type: StoreType) throws {
    let ground = try Ground(type)
    let whole = try ground.rehearse().microseconds
    var random = SystemRandomNumberGenerator()
    var (hits, attempts) = (0, 0)
    // Those that come too late do not count.
    while hits < Self.kills, attempts < Self.kills * 20 {
      attempts += 1
      let child = try ground.child()
      while try #require(child.readLine(), "it has died early") != "saving" {}
      usleep(UInt32.random(in: 0...UInt32(whole), using: &random))
      child.kill()
      let (output, status) = child.finish()
      let isSaved = try ground.isSaved()
      if output.contains("saved") {
        #expect(isSaved)
      } else {
        try #require(status == -SIGKILL)
        hits += 1
      }
    }
    #expect(hits == Self.kills)
  }

  @Test("1: SIGKILL after any statement of a save of 1,000 objects")
  func afterAnyStatement() throws {
    let ground = try Ground(.sqlite)
    let last = try ground.rehearse().statements
    #expect(last >= 1_000)
    // The last one commits.
    let step = max(1, (last - 1) / max(1, Self.kills - 2))
    for number in Array(stride(from: 1, to: last - 1, by: step)) + [last - 1, last] {
      #expect(try ground.child("\(number)").finish().status == -SIGKILL)
      #expect(try ground.isSaved() == (number == last))
    }
  }
}
