import Foundation
import Testing

@testable import StorageBench

/// The commands in documents, messages and scripts exist.
@Suite struct CommandNamesTests {

  /// Returns the commands in a text: the word after the program's name, in code or in quotation marks.
  private static func named(in text: String) -> Set<String> {
    let mention = /['`>"](?:storage-bench|scripts\/bench) ([a-z][a-z-]*)/
    // Indented lines of documents are commands.
    let line = /(?m)^ {4,}(?:storage-bench|scripts\/bench) ([a-z][a-z-]*)/
    return Set((text.matches(of: mention) + text.matches(of: line)).map { String($0.output.1) })
  }

  private static func texts(_ folder: String, _ endings: Set<String>) -> [(path: String, text: String)] {
    let url = repository.appendingPathComponent(folder)
    let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { endings.contains(URL(fileURLWithPath: $0).pathExtension) }.compactMap { path in
      (try? String(contentsOf: url.appendingPathComponent(path), encoding: .utf8)).map { ("\(folder)/\(path)", $0) }
    }
  }

  @Test func everyCommandThatATextNamesExists() throws {
    let outputs = Self.texts("Tests/Golden", ["md", "html", "txt", "json"])
    let documents = Self.texts("docs", ["md"]) + Self.texts("results/example", ["md", "html"])
    let sources = Self.texts("Sources", ["swift"])
    let readme = ("README.md", try String(contentsOf: repository.appendingPathComponent("README.md"), encoding: .utf8))
    var seen: Set<String> = []
    for (path, text) in outputs + documents + sources + [readme] {
      for name in Self.named(in: text) {
        #expect(RootCommand.names.contains(name), "\(path) names the command '\(name)'")
        seen.insert(name)
      }
    }
    // The search does find commands.
    #expect(seen.isSuperset(of: ["run", "report", "check", "paired"]))
    #expect(Self.named(in: "put to the test by `storage-bench crashtest`") == ["crashtest"])
  }

  @Test func `a citation names the version that the suite prints`() throws {
    let text = try String(contentsOf: repository.appendingPathComponent("CITATION.cff"), encoding: .utf8)
    #expect(text.contains("\nversion: \(suiteVersion)\n"))
  }

  @Test func theCommandsHaveTheirNames() {
    #expect(RootCommand.names.count == RootCommand.configuration.subcommands.count + 1)
  }
}
