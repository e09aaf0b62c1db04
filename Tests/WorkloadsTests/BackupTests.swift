import StorageContract
import Testing

@testable import StorageWorkloads

/// A store with a copy in steps that lacks a record, or the saves before the last one.
final class Torn: Faulty, BackingUp {
  static let copiesInSteps = true

  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws {
    let torn = model.disk.copy()
    for _ in 0..<2 { try saves?() }
    let before = model.disk.records
    try saves?()
    let last = model.disk.records.values.filter { before[$0.id]?.isIdentical(to: $0) == false }
    try ModelStore(torn).commit(saves == nil ? [.delete(7)] : last.map { .put($0) })
    ModelStore.mount(torn, at: directory)
  }
}

@Suite struct BackupTests {
  @Test(arguments: [("nothing", "record 7 is missing"), ("saves", "record")])
  func aCopyThatNeverWasAStateIsNoticed(beside: String, words: String) throws {
    let trial = try WorkloadTrial("backup", options: ["beside=\(beside)"], backend: Torn.self)
    let complaint = try trial.complaint(operations: 1, block: 1)
    #expect(
      complaint?.hasPrefix("the copy does not match any state that the store has had: \(words)") == true,
      "\(complaint ?? "none")")
  }

  @Test func withoutACopyOfTheEngineTheStoreIsClosedMeanwhile() throws {
    let trial = try WorkloadTrial("backup")
    #expect(try trial.complaint(operations: 3, block: 1) == nil)
    #expect(trial.disk.openings == 4)
    #expect(try WorkloadTrial("backup", fault: .hides(7)).complaint(operations: 1, block: 1) != nil)
  }
}
