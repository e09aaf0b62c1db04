import StorageContract
import Testing

@testable import StorageVerify

@Suite struct CrashCaseTests {
  @Test(arguments: [
    "kill:save=3:call=2:byte=17", "kill:save=open:call=1", "kill:time=1234", "fsync:late:save=close:call=4:saves=1+3",
    "damage:flip:file=data.mdb:seed=5", "enospc:fill:save=2:room=100:saves=none",
  ])
  func namesAreReadAsTheyArePrinted(_ text: String) throws {
    #expect(try CrashCase(parsing: text).description == text)
  }

  @Test func whatIsNoCaseIsRefused() throws {
    #expect(throws: UsageError.self) { try CrashCase(parsing: "kill:save=3:colour=red") }
    #expect(throws: UsageError.self) { try CrashFaults.fault("kil") }
    #expect(throws: UsageError.self) { try CrashCase(parsing: "kill:save=x").position() }
    #expect(throws: UsageError.self) { try CrashCase(parsing: "kill:save=3").number("call") }
    #expect(throws: UsageError.self) { try CrashCase(parsing: "kill:save=3:saves=1+9").saves(of: [1, 2, 3]) }
    #expect(try CrashCase(parsing: "kill:save=3").saves(of: [1, 2, 3]) == [1, 2, 3])
    #expect(try CrashCase(parsing: "kill:save=3:saves=none").saves(of: [1, 2, 3]) == [])
  }

  /// If two contents were equal, the loss of a save could not be detected.
  @Test func everySaveLeavesAnotherContent() throws {
    let history = SaveHistory(records: 5, count: 24, seed: 7)
    let contents = (0...24).map { history.content(after: Array((1...24).prefix($0))) }
    for (index, content) in contents.enumerated() {
      for other in contents[..<index] { #expect(!content.isSame(as: other)) }
    }
    #expect(history.saves.contains { $0.count > 2 } && history.saves.contains { $0.contains(where: \.isDelete) })
    #expect(SaveHistory(records: 5, count: 24, seed: 7).content(after: Array(1...24)).isSame(as: contents[24]))
    #expect(!SaveHistory(records: 5, count: 24, seed: 8).content(after: Array(1...24)).isSame(as: contents[24]))
  }

  @Test func aHistorySurvivesItsFile() throws {
    let history = SaveHistory(records: 5, count: 8)
    let stored = StoredHistory(history).history
    #expect(stored.collections == history.collections)
    #expect(stored.content(after: Array(1...8)).isSame(as: history.content(after: Array(1...8))))
  }
}
