import Foundation
import Testing

/// The code of the article on writing a backend is the code of the example, which is built and tested.
@Suite struct ArticleTests {
  private static let article = "Sources/Contract/StorageContract.docc/FirstBackendToGate.md"

  /// Returns the Swift code in a text.
  private static func code(in text: String) -> [String] {
    text.matches(of: /```swift\n((?s:.*?))```/).map { String($0.output.1) }
  }

  @Test func theArticleShowsTheExample() throws {
    let folder = "Examples/CustomBackend"
    let files = try (SourceTree.read(folder).map(\.path) + ["\(folder)/Package.swift"]).map { try SourceTree.text($0) }
    let parts = Self.code(in: try SourceTree.text(Self.article))
    #expect(parts.count >= 6)
    for part in parts { #expect(files.contains { $0.contains(part) }, "the example has no\n\(part)") }
    // All lines of marked code are compared.
    #expect(Self.code(in: "a\n```swift\nlet a = 1\nlet b = 2\n```\nb") == ["let a = 1\nlet b = 2\n"])
  }

  @Test func everyCatalogueBeginsWithItsModule() throws {
    let modules = [
      "Contract": "StorageContract", "Verify": "StorageVerify", "ObjectGraph": "ObjectGraph", "Report": "StorageReport",
    ]
    for (folder, module) in modules {
      #expect(try SourceTree.text("Sources/\(folder)/\(module).docc/\(module).md").hasPrefix("# ``\(module)``\n"))
    }
  }
}
