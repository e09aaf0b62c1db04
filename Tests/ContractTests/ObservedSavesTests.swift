import StorageContract
import Testing

/// The levels that observed calls refute, and the words of the complaints.
@Suite struct ObservedSavesTests {
  private static let cases: [(ObservedSaves, refutes: Set<Level>, words: String)] = [
    (ObservedSaves(acknowledged: 2_000), [], ""),
    (
      ObservedSaves(acknowledged: 2_000, unwritten: 1), [.crash, .intact, .durable],
      "1 of 2,000 saves were acknowledged before anything was written"
    ),
    (
      ObservedSaves(acknowledged: 2_000, unsynced: 2_000), [.durable],
      "2,000 of 2,000 saves were acknowledged before a file that they had written was synced"
    ),
    (
      ObservedSaves(acknowledged: 8, unsynced: 8, syncedElsewhere: 7), [.durable],
      "8 of 8 saves were acknowledged before a file that they had written was synced; "
        + "7 had synced another file, or before their last write"
    ),
    (
      ObservedSaves(acknowledged: 8, renamed: 8, renamedUnsynced: 3), [.intact, .durable],
      "3 of 8 files were renamed before their data was synced"
    ),
    (
      ObservedSaves(acknowledged: 8, unnamed: 8), [.durable],
      "8 of 8 saves were acknowledged before the directory was synced in which they had renamed or removed a file"
    ),
  ]

  @Test(arguments: cases.indices) func refutation(_ index: Int) {
    let (saves, refuted, words) = Self.cases[index]
    for level in Level.allCases {
      let found = saves.refutation(of: level)
      #expect(found == (refuted.contains(level) ? "\(level.rawValue) is promised, but \(words)" : nil))
    }
  }
}
