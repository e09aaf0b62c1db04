import Foundation
import Testing

/// The table in docs/explanation/object-graph.md names the suites of each semantic; the names of the tests have the
/// same numbers.
@Suite struct SemanticsTests {
  /// This directory and the page with the table, with links resolved.
  private static let directory = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
  private static let page = directory.deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("docs/explanation/object-graph.md")

  @Test("Every semantic has its line in docs/explanation/object-graph.md, which names the suites that show it")
  func table() throws {
    let (written, shown) = (try Self.written(), try Self.shown())
    #expect(Set(1...29).isSubset(of: shown.keys))
    for number in Set(written.keys).union(shown.keys).sorted() {
      #expect(written[number] == shown[number], "semantic \(number)")
    }
  }

  /// The suites by the number of the semantic, as the table has them.
  private static func written() throws -> [Int: Set<String>] {
    var suites: [Int: Set<String>] = [:]
    for match in try String(contentsOf: page, encoding: .utf8).matches(of: /\n\| ([0-9]+) \|[^|\n]*\|([^|\n]*)\|/) {
      let number = try #require(Int(match.1))
      #expect(suites[number] == nil, "semantic \(number) has two lines")
      suites[number] = Set(match.2.matches(of: /`(\w+)`/).map { String($0.1) })
    }
    return suites
  }

  /// The same by the names of the tests, which begin with the numbers of what they show.
  private static func shown() throws -> [Int: Set<String>] {
    var suites: [Int: Set<String>] = [:]
    let files = try #require(FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard let suite = text.firstMatch(of: /@Suite[^\n]* struct (\w+)/)?.1 else { continue }
      for match in text.matches(of: /@Test\(\s*"([0-9, ]+):/) {
        for number in match.1.split(separator: ", ").compactMap({ Int($0) }) {
          suites[number, default: []].insert(String(suite))
        }
      }
    }
    return suites
  }
}
