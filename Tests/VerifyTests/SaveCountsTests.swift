import CStorageInstrument
import StorageContract
import StorageVerify
import Testing

/// The levels that observed calls refute, and the words of the complaints.
@Suite struct SaveCountsTests {
  private static let cases: [(@Sendable (inout ci_saves) -> Void, refutes: Set<Level>, words: String)] = [
    ({ _ in }, [], ""),
    ({ $0.unwritten = 1 }, [.crash, .intact, .durable], "1 of 8 saves were acknowledged before anything was written"),
    (
      { ($0.acknowledged, $0.unsynced) = (2_000, 2_000) }, [.durable],
      "2,000 of 2,000 saves were acknowledged before a file that they had written was synced"
    ),
    (
      { ($0.unsynced, $0.synced_elsewhere) = (8, 7) }, [.durable],
      "8 of 8 saves were acknowledged before a file that they had written was synced; "
        + "7 had synced another file, or before their last write"
    ),
    (
      { ($0.renamed, $0.renamed_unsynced) = (8, 3) }, [.intact, .durable],
      "3 of 8 files were renamed before their data was synced"
    ),
    (
      { $0.unnamed = 8 }, [.durable],
      "8 of 8 saves were acknowledged before the directory was synced in which they had renamed or removed a file"
    ),
  ]

  @Test(arguments: cases.indices) func refutation(_ index: Int) {
    let (count, refuted, words) = Self.cases[index]
    var saves = ci_saves()
    saves.acknowledged = 8
    count(&saves)
    for level in Level.allCases {
      let found = saves.refutation(of: level)
      #expect(found == (refuted.contains(level) ? "\(level.rawValue) is promised, but \(words)" : nil))
    }
  }
}
