import Foundation
import Testing

/// Compares docs/contributing/architecture.md and the README with the sources.
@Suite struct ArchitectureTests {
  private let sources = SourceTree.read("Sources")

  @Test func theTableOfTargetsIsThatOfThePackage() throws {
    let documented = try Self.documentedTargets()
    let declared = try Self.declaredTargets()
    #expect(documented.count == declared.count)
    for (folder, target) in declared {
      let said = try #require(documented[folder], "docs/contributing/architecture.md does not list \(folder)")
      #expect(said.module == target.module, "\(folder)")
      #expect(said.imports == target.imports, "\(folder)")
    }
  }

  @Test func everyFolderOfSourcesIsATarget() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root + "/Sources").map {
      "Sources/\($0)"
    }
    #expect(Set(folders) == Set(try Self.declaredTargets().keys))
  }

  @Test func `a target imports the modules that it depends on, and no other module of the package`() throws {
    let targets = try Self.declaredTargets()
    let modules = Set(targets.values.map(\.module))
    for (folder, target) in targets {
      let files = sources.filter { $0.path.hasPrefix(folder + "/") }
      #expect(modules.intersection(files.flatMap(\.imports)) == target.imports, "\(folder)")
    }
  }

  @Test func everyPathInTheTextExists() throws {
    for document in ["docs/contributing/architecture.md", "docs/how-to/adding-a-backend.md", "README.md"] {
      let text = try SourceTree.text(document)
      for match in text.matches(of: /`((?:Sources|Tests|Lab|docs|scripts|Examples)\/[\w.\/+-]+)`/) {
        let path = String(match.output.1)
        #expect(
          FileManager.default.fileExists(atPath: SourceTree.root + "/" + path) || path.contains("MyStore"),
          "\(document) names \(path)")
      }
    }
  }

  @Test func `the files of one command lead from each to the next`() throws {
    let text = try SourceTree.text("docs/contributing/architecture.md")
    let walk = try #require(text.firstRange(of: "## One command from end to end").map { text[$0.upperBound...] })
    let paths = walk.prefix(while: { $0 != "#" }).matches(of: /(?m)^\d+\. `([^`]+)`/).map { String($0.output.1) }
    #expect(paths.first == "Sources/storage-bench/main.swift" && (20...50).contains(paths.count))
    var named: Set<String> = []
    for path in paths {
      let file = try #require(sources.first { $0.path == path }, "\(path)")
      let extended = file.code.matches(of: /(?m)^(?:\w+ )?extension ([A-Z]\w*)/).map { String($0.output.1) }
      #expect(
        named.isEmpty || !named.isDisjoint(with: file.declarations + extended),
        "no file above names what \(path) declares or extends")
      named.formUnion(file.names)
    }
  }

  @Test func whatIsBelowImportsNothing() throws {
    let imports = try Self.declaredTargets().mapValues(\.imports)
    for folder in ["Contract", "ObjectGraph", "Statistics"] { #expect(imports["Sources/\(folder)"] == []) }
    #expect(imports["Sources/Trial"]?.isDisjoint(with: ["StorageReport", "StorageStatistics"]) == true)
    #expect(imports["Sources/Bench"]?.contains("StorageBackends") == false)
    for file in sources where file.path.hasPrefix("Sources/Statistics/") {
      let allowed: Set = file.path.hasSuffix("/Logarithms.swift") ? ["Glibc", "Musl", "Darwin"] : Set<String>()
      #expect(file.imports.isSubset(of: allowed), "\(file.path)")
    }
  }

  /// Only CInstrument, one file of Bench, the loader of SQLite libraries and the backend of UserDefaults need Linux. The
  /// loader changes files in the format ELF. UserDefaults has its files elsewhere on other systems.
  @Test func fewFilesNeedLinux() {
    let allowed: Set = ["Sources/Bench/Machine/Linux.swift", "Sources/Backends/Shared/SQLiteLoader.swift"]
    for file in sources where ["\"/proc/", "\"/sys/", "\"/dev/"].contains(where: file.code.contains) {
      #expect(
        allowed.contains(file.path) || file.path == "Sources/Backends/WholeFile/UserDefaults.swift", "\(file.path)")
    }
    for file in sources where file.imports.contains("Glibc") {
      #expect(file.path == "Sources/Statistics/Logarithms.swift")
    }
  }

  /// Notes are for people. Data that a program needs is in a field.
  @Test func noNoteIsParsed() {
    let reading =
      /\bnotes?\b[\])!?]*\s*(?:\.(?:contains|split|hasPrefix|hasSuffix|firstRange|range|matches|wholeMatch|components|starts|first|last)\b|[!=]=\s*(?!nil))/
      .wordBoundaryKind(.simple)
    for file in sources where file.path.hasPrefix("Sources/Report/") || file.path.hasPrefix("Sources/Bench/") {
      for line in file.code.split(separator: "\n") where line.contains(reading) {
        #expect(Self.mayReadNotes(line), "\(file.path): \(line)")
      }
    }
    // A test that cannot fail proves nothing.
    for line in [#"row.note.contains("×1")"#, #"trial.note == Trial.timedOnce"#, #"row.note.split(separator: ";")"#] {
      #expect(line.contains(reading) && !Self.mayReadNotes(line[...]), "\(line)")
    }
  }

  /// Whether a line only gathers notes without repetition, which does not parse them.
  private static func mayReadNotes(_ line: Substring) -> Bool { line.contains("notes.contains(note)") }

  @Test func foldersNameEachOtherInOneDirection() {
    for (target, circles) in SourceTree.circles(sources) {
      #expect(circles.isEmpty, "\(target): \(circles)")
    }
    // Two folders that name each other are found.
    let first = SourceFile(path: "Sources/X/A/One.swift", text: "struct One { var two: Two? }")
    let second = SourceFile(path: "Sources/X/B/Two.swift", text: "struct Two { var one: [One] }")
    #expect(SourceTree.circles([first, second])["X"] == [["Sources/X/A", "Sources/X/B"]])
    #expect(SourceTree.circles([first])["X"]?.isEmpty != false)
  }

  /// A registered type is declared in a separate file, so that a new one needs one file and one line.
  @Test(arguments: ["Backends", "Workloads"])
  func eachRegisteredTypeHasAFileOfItsOwn(target: String) throws {
    let registry = try #require(sources.first { $0.path == "Sources/\(target)/Registry.swift" })
    let registered = registry.code.matches(of: /([A-Z]\w*)\.self/).map { String($0.output.1) }
    #expect(registered.count > 7)
    let files = sources.filter { $0.path.hasPrefix("Sources/\(target)/") }
    let homes = registered.map { name in files.filter { $0.declarations.contains(name) }.map(\.path) }
    for (name, home) in zip(registered, homes) {
      #expect(home.count == 1, "\(name): \(home)")
      // The file is in the folder of its engine or theme, not beside the registry.
      #expect(home.allSatisfy { $0.split(separator: "/").count == 4 }, "\(name): \(home)")
    }
    #expect(Set(homes.flatMap { $0 }).count == registered.count)
  }

  @Test func theReadmeNamesTheModulesThatThePackageOffers() throws {
    // Products after this comment are for a package of this repository.
    let package = try #require(SourceTree.text("Package.swift").split(separator: "// For Lab.").first)
    let offered = package.matches(of: /\.library\(name: "(\w+)"/).map { String($0.output.1) }
    let readme = try SourceTree.text("README.md")
    let paragraph = try #require(
      readme.firstRange(of: "in a package of your own, import").map { readme[$0.upperBound...] })
    let named = paragraph.prefix { $0 != ":" }.matches(of: /`(\w+)`/).map { String($0.output.1) }
    #expect(Set(named) == Set(offered))
  }

  /// `StorageBench.Plan` could not be written if the module had a type with its own name.
  @Test func noTypeHasTheNameOfAModule() throws {
    let modules = Set(try Self.declaredTargets().values.map(\.module))
    for file in sources { #expect(modules.isDisjoint(with: file.declarations), "\(file.path)") }
  }

  // MARK: - Targets

  private struct Listed {
    var module: String
    var imports: Set<String>
  }

  private static func documentedTargets() throws -> [String: Listed] {
    var found: [String: Listed] = [:]
    for match in try SourceTree.text("docs/contributing/architecture.md").matches(
      of: /\| `(Sources\/[\w-]+)` \| ([\w-]+) \|([^|\n]*)\|/)
    {
      let imports = match.output.3.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      found[String(match.output.1)] = Listed(
        module: String(match.output.2), imports: Set(imports.filter { !$0.isEmpty }))
    }
    return found
  }

  /// Returns the targets of Package.swift whose sources are below Sources.
  private static func declaredTargets() throws -> [String: Listed] {
    let text = try SourceTree.text("Package.swift").replacing(/\/\/[^\n]*/, with: "")
    var found: [String: Listed] = [:]
    for part in text.split(separator: /\.(?:executableTarget|target|systemLibrary|testTarget)\(/).dropFirst() {
      guard let name = part.firstMatch(of: /name: "([^"]+)"/)?.output.1 else { continue }
      let folder = part.firstMatch(of: /path: "([^"]+)"/).map { String($0.output.1) } ?? "Sources/\(name)"
      guard folder.hasPrefix("Sources/"), !name.hasSuffix("Tests") else { continue }
      let list = part.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.output.1 ?? ""
      found[folder] = Listed(
        module: String(name), imports: Set(list.matches(of: /"([^"]+)"/).map { String($0.output.1) }))
    }
    return found
  }
}
