import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct FindPrefixTests {
  /// Tries every prefix, as in the definition.
  private func searched(_ name: String, _ target: Int, _ names: [String]) -> String {
    var (best, distance) = (name, Int.max)
    var rest = name.unicodeScalars
    while !rest.isEmpty {
      let prefix = String(rest)
      let missed = abs(names.filter { $0.utf8.starts(with: prefix.utf8) }.count - target)
      if missed < distance { (best, distance) = (prefix, missed) }
      rest.removeLast()
    }
    return best
  }

  private func model(_ names: [String]) -> OrderedRecords {
    let records = names.enumerated().map {
      Record(id: Int64($0), name: $1, group: "", score: 0, modified: 0, payload: [])
    }
    return OrderedRecords(CachedRecords(RecordList(records), keeps: true))
  }

  @Test func theStartIsTheOneOfASearchThroughAll() {
    let names =
      ["a", "ab", "abc", "abd", "b", "", "é", "e\u{301}", "e\u{301}x", "ab\r\nc", "abcd", "🧑🏽‍🚀"]
      + (0..<40).map { "a\($0 % 7)b\($0)" }
    let model = model(names)
    for name in names {
      for target in 0...names.count {
        #expect(FindPrefix.prefix(of: name, finding: target, in: model) == searched(name, target, names))
      }
    }
  }

  @Test func longNamesTakeFewComparisons() {
    // A search through all prefixes would compare 5 x 100,000 of up to 100,000 bytes.
    let names = (0..<5).map { String(repeating: "x", count: 100_000) + "\($0)" }
    let model = model(names)
    for name in names { #expect(FindPrefix.prefix(of: name, finding: 1, in: model) == name) }
  }
}
