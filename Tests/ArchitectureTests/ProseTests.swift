import Foundation
import Testing

/// A linter for the sentences of the repository: comments, help texts, messages, documents and names of tests.
///
/// The rules are in ``Prose/faults``. A sentence that needs an exception is quoted in `prose-allowed.txt`.
@Suite struct ProseTests {
  /// Lines of `prose-allowed.txt`: a path, a colon, a part of the text.
  private static func allowed() throws -> [(path: String, part: String)] {
    try SourceTree.text("Tests/prose-allowed.txt").split(separator: "\n").map { line in
      let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  /// The repository's files with sentences. Golden files are made of the texts in Sources.
  private static func paths() -> [String] {
    let endings = [".swift", ".c", ".h", ".js", ".sh", ".md", ".yml", ".yaml"]
    let folders = ["Sources", "Tests", "Lab", "Examples", "scripts", "docs", ".github"]
    let found = folders.flatMap { folder in
      (FileManager.default.enumerator(atPath: "\(SourceTree.root)/\(folder)")?.allObjects ?? [])
        .compactMap { $0 as? String }.map { "\(folder)/\($0)" }
    }
    return
      (["README.md", "CONTRIBUTING.md", "Package.swift"] + found).filter { path in
        let isScript = path.hasPrefix("scripts/") && !path.split(separator: "/").last!.contains(".")
        return (isScript || endings.contains { path.hasSuffix($0) }) && !path.contains("/.build/")
          && !path.contains("/Golden/")
      }.sorted()
  }

  @Test func everySentenceIsPlainEnglish() throws {
    let (paths, allowed) = (Self.paths(), try Self.allowed())
    #expect(paths.count > 900)
    #expect(allowed.count <= 30)
    var used = Set<Int>()
    for path in paths {
      // Directories and the lists of phrases themselves are left out.
      guard let text = try? SourceTree.text(path), !path.hasPrefix("Tests/ArchitectureTests/Prose") else { continue }
      for prose in Prose.all(in: text, path: path) {
        let faults = prose.faults
        if faults.isEmpty { continue }
        if let index = allowed.firstIndex(where: { $0.path == path && prose.text.contains($0.part) }) {
          used.insert(index)
          continue
        }
        for fault in faults { Issue.record("\(path):\(prose.line) \(fault)") }
      }
    }
    for (index, line) in allowed.enumerated() where !used.contains(index) {
      Issue.record("prose-allowed.txt: no fault is left in \(line.path) with '\(line.part)'; delete the line")
    }
  }

  @Test(arguments: [
    ("Sources/a.swift", "/// What tells its fixtures from others\nlet a = 1", "begins with 'What'"),
    ("Sources/a.swift", "/// Which engines are trusted.\nlet a = 1", "begins with 'Which'"),
    ("Tests/a.swift", "  // How it grows.\n  let a = 1", "begins with 'How'"),
    ("Lab/a.swift", "/// Where the run is.", "begins with 'Where'"),
    ("Sources/a.swift", "throw UsageError(\"Nobody leads at \\(size)\")", "says 'nobody'"),
    ("Sources/a.swift", "static let help = \"\"\"\n  The fate of a store.\n  \"\"\"", "says 'fate'"),
    ("Tests/a.swift", "  @Test func theCauseIsSaidOnce() {}", "says 'is said'"),
    ("docs/a.md", "The page is\nsafe, as is\ntold below.", "says 'is told'"),
    ("docs/a.md", "| a | a core data lookalike |\n|---|---|", "says 'lookalike'"),
    ("scripts/a.sh", "#!/bin/sh\n# The build that was\n# mended.", "says 'mended'"),
    ("README.md", "- " + String(repeating: "word ", count: 45) + "end.", "has a sentence of more than 45 words"),
  ])
  func plantedFaultIsFound(path: String, text: String, fault: String) {
    let faults = Prose.all(in: text, path: path).flatMap(\.faults)
    #expect(faults.count == 1 && faults[0].hasPrefix(fault), "\(faults)")
  }

  @Test(arguments: [
    ("Sources/a.swift", "/// How to add one.\nlet a = \"recommended\""),
    ("Sources/a.swift", "/// Whether it is safe.\n///\n///     Whoever.is(told)\nlet a = 1 // nobody"),
    ("Tests/a.swift", "let name = \"nobody\""),
    ("docs/a.md", "```\nWhoever is told\n```\n## A heading\nOne sentence. Another."),
    ("docs/a.md", String(repeating: "Five words in a sentence. ", count: 20)),
  ])
  func plainTextHasNoFault(path: String, text: String) {
    #expect(Prose.all(in: text, path: path).flatMap(\.faults) == [])
  }
}
