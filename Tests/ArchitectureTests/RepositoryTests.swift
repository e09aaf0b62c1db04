import Foundation
import Testing

@Suite struct RepositoryTests {
  @Test func theWorkflowsToCopyAreThoseThatRunHere() throws {
    let taught = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root + "/docs/ci")
      .filter { $0.hasSuffix(".yml") }
    #expect(taught.count >= 3)
    for name in taught {
      #expect(
        try SourceTree.text("docs/ci/\(name)") == SourceTree.text(".github/workflows/\(name)"),
        "docs/ci/\(name) and .github/workflows/\(name) differ: copy one to the other")
    }
    #expect(try SourceTree.text(".github/workflows/test.yml").contains("- run: scripts/test\n"))
  }

  /// Counts of allocations depend on the compiler. With another one, `check costs.csv` judges fewer of them.
  @Test func `workflows use the compiler that costs.csv was counted with`() throws {
    let counted = try #require(
      try SourceTree.text("costs.csv").firstMatch(of: /swift=([0-9.]+)/).map { String($0.output.1) })
    var files = ["Examples/CustomBackend/ci.yml", "Dockerfile", ".devcontainer/devcontainer.json"]
    for folder in [".github/workflows", "docs/ci"] {
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(SourceTree.root)/\(folder)")
      files += names.filter { $0.hasSuffix(".yml") }.map { "\(folder)/\($0)" }
    }
    for file in files {
      let images = try SourceTree.text(file).matches(of: /swift:([0-9.]+)/).map { String($0.output.1) }
      #expect(!images.isEmpty && images.allSatisfy { $0 == counted }, "\(file) uses Swift \(images), not \(counted)")
    }
  }

  private static let isClone = FileManager.default.fileExists(atPath: SourceTree.root + "/.git")

  /// Tests the rules of CONTRIBUTING.md from their first commit on. A shallow clone lacks that commit and tests
  /// nothing.
  @Test(.enabled(if: isClone, "this is no clone, so there are no commits to check"))
  func `subjects of commits are short and imperative, without merges`() throws {
    let first = "9c30c8fec83260c793a92b7ae64edf697bea9858"
    let (log, status) = try Self.git("log", "-200", "--format=%h%x09%p%x09%s", "HEAD", "--not", first)
    let isShallow = FileManager.default.fileExists(atPath: SourceTree.root + "/.git/shallow")
    #expect(status == 0 || isShallow, "git log failed")
    for line in log.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      let faults = Self.faults(subject: String(fields[2]), parents: fields[1].split(separator: " ").count)
      #expect(faults.isEmpty, "\(fields[0]) '\(fields[2])': \(faults)")
    }
  }

  private static func git(_ arguments: String...) throws -> (output: String, status: Int32) {
    let git = Process()
    let output = Pipe()
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = ["git", "-C", SourceTree.root] + arguments
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    try git.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    git.waitUntilExit()
    return (text, git.terminationStatus)
  }

  /// A build that fails can leave object files in the root, and `git add -A` commits them.
  @Test(.enabled(if: isClone, "this is no clone, so there are no committed files"))
  func `committed files are text, but for compressed reports`() throws {
    let (list, status) = try Self.git("ls-files", "-z")
    let names = list.split(separator: "\0").map(String.init)
    #expect(status == 0 && names.count > 1_000)
    let binary = names.filter { name in
      let content = FileManager.default.contents(atPath: "\(SourceTree.root)/\(name)") ?? Data()
      return !name.hasSuffix(".html.gz") && content.contains(0)
    }
    #expect(binary.isEmpty, "\(binary): remove them, and from the history")
  }

  /// Returns the rules that the subject of a commit breaks.
  private static func faults(subject: String, parents: Int) -> [String] {
    let first = subject.prefix { $0 != " " }
    let isImperative =
      first.first?.isUppercase == true && first.allSatisfy(\.isLetter)
      && first.wholeMatch(of: /[A-Z][a-z]+(ed|ing)/) == nil
      && first.wholeMatch(of: /\w+[^s]s/) == nil
    return (subject.count > 65 ? ["is longer than 65 characters"] : []) + (parents > 1 ? ["is a merge"] : [])
      + (subject.hasSuffix(".") ? ["ends in a full stop"] : [])
      + (isImperative ? [] : ["does not begin with an imperative"])
  }

  @Test func faultsOfSubjectsAreFound() {
    #expect(Self.faults(subject: "Rewrite the comments of Bench", parents: 1).isEmpty)
    #expect(Self.faults(subject: "Compress pages", parents: 1).isEmpty)
    let long = "Rewrite " + String(repeating: "x", count: 58)
    for (subject, parents) in [
      (long, 1), ("Merge a branch", 2), ("Fix it.", 1), ("Fixed it", 1), ("Fixes it", 1), ("Fixing it", 1),
      ("sqlite: fix it", 1),
    ] {
      #expect(Self.faults(subject: subject, parents: parents).count == 1, "\(subject)")
    }
  }

  @Test func theNewestVersionOfTheChangesIsTheSuites() throws {
    let source = try SourceTree.text("Sources/Bench/Commands/RootCommand.swift")
    let version = try #require(source.firstMatch(of: /suiteVersion = "([^"]+)"/)?.output.1)
    let newest = try #require(try SourceTree.text("CHANGELOG.md").firstMatch(of: /(?m)^## ([0-9.]+)/)?.output.1)
    #expect(newest == version, "CHANGELOG.md begins with \(newest), the suite is \(version)")
  }

  /// Authors of backends look up deviations in this table.
  @Test func everyDeviationIsInTheTableOfThem() throws {
    let source = try SourceTree.text("Sources/Contract/Deviation.swift")
    let cases = source.matches(of: /(?m)^    case (\w+)/).map { String($0.output.1) }
    let page = try SourceTree.text("docs/how-to/adding-a-backend.md")
    let part = try #require(page.split(separator: "| deviation |").last)
    let rows = part.prefix { $0 != "#" }.matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.output.1) }
    #expect(cases.count >= 6 && rows == cases)
  }

  @Test func aPackageOfOnesOwnInstallsWhatTheSuiteNeeds() throws {
    let scripts = try SourceTree.text("scripts/lib/install.sh")
    let needed = try #require(scripts.firstMatch(of: /need_libraries\(\) \{\n +need (.+)\n/)?.output.1)
    let packages = needed.split(separator: " ").compactMap { $0.split(separator: "=").first }
    #expect(packages.count == 3)
    for path in ["ci.yml", "README.md"] {
      let text = try SourceTree.text("Examples/CustomBackend/\(path)")
      for package in packages { #expect(text.contains(package), "\(path) does not name \(package)") }
    }
  }

  @Test func whoReportsADefectIsAskedForTheEnvironment() throws {
    let folder = ".github/ISSUE_TEMPLATE"
    let forms = try FileManager.default.contentsOfDirectory(atPath: "\(SourceTree.root)/\(folder)")
      .filter { $0 != "config.yml" }
    #expect(forms.count >= 3)
    for form in forms { #expect(try SourceTree.text("\(folder)/\(form)").contains("environment.json"), "\(form)") }
  }

  /// Links to a document break when it is moved. Readers do not find a page that the index does not name.
  @Test func everyLinkBetweenDocumentsLeadsSomewhere() throws {
    let indexes = ["docs/README.md", "docs/upstream/README.md"]
    let pages = (FileManager.default.enumerator(atPath: SourceTree.root + "/docs")?.allObjects ?? [])
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
    var documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + pages
    for folder in ["results", "results/reference", "Examples/CustomBackend", "Examples/RocksDBBackend"] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(SourceTree.root)/\(folder)")) ?? []
      documents += names.filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }
    #expect(pages.count > 20)
    var links = 0
    var indexed = [Self.path(indexes[0])]
    let tests = SourceTree.read("Tests").map(\.code).joined()
    for document in documents {
      for match in try SourceTree.text(document).matches(of: /--filter (\w+)/) {
        #expect(tests.contains(match.output.1), "\(document) filters tests by \(match.output.1), which names none")
      }
      let folder = URL(fileURLWithPath: "\(SourceTree.root)/\(document)").deletingLastPathComponent()
      for match in try SourceTree.text(document).matches(of: /\]\(([^)\s]+)\)/) where !match.output.1.contains("://") {
        let parts = match.output.1.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let target = folder.appendingPathComponent(parts[0]).standardizedFileURL.path
        let path = parts[0].isEmpty ? Self.path(document) : target
        links += 1
        if indexes.contains(document) { indexed.append(path) }
        guard FileManager.default.fileExists(atPath: path) else {
          Issue.record("\(document) leads to \(parts[0]), which does not exist")
          continue
        }
        guard parts.count > 1, path.hasSuffix(".md") else { continue }
        let headings = try String(contentsOfFile: path, encoding: .utf8)
          .matches(of: /(?m)^#+ +(.+)$/).map { Self.anchor(String($0.output.1)) }
        #expect(headings.contains(parts[1]), "\(document) leads to #\(parts[1]) of \(path), which has no such heading")
      }
    }
    #expect(links > 50)
    for page in pages { #expect(indexed.contains(Self.path(page)), "\(indexes[0]) has no link to \(page)") }
  }

  /// Returns the absolute path of a document.
  private static func path(_ document: String) -> String {
    URL(fileURLWithPath: "\(SourceTree.root)/\(document)").standardizedFileURL.path
  }

  /// Returns the anchor that GitHub gives a heading: lower case, spaces as hyphens, no punctuation.
  private static func anchor(_ heading: String) -> String {
    String(
      heading.lowercased().replacing(" ", with: "-").unicodeScalars.filter {
        $0 == "-" || $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
      }.map(Character.init))
  }
}
