import Foundation

/// A Swift file with its names and imports.
struct SourceFile: Sendable {
  /// The path from the root of the package: `Sources/Bench/Run/Runner.swift`.
  let path: String
  /// The text without comments.
  let code: String
  /// The imported modules.
  let imports: Set<String>
  /// The types that it declares at the top level.
  let declarations: [String]
  /// The capitalized names in its code, outside of string literals.
  let names: Set<String>

  init(path: String, text: String) {
    self.path = path
    code = text.replacing(/\/\/[^\n]*/, with: "")
    imports = Set(code.matches(of: /(?m)^\s*(?:@\w+ )?import (?:\w+ )?(\w+)/).map { String($0.output.1) })
    let declaration =
      /(?m)^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate|open|final|indirect|nonisolated)\s+)*(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)/
    declarations = code.matches(of: declaration).map { String($0.output.1) }
    let bare = code.replacing(/"(?:\\.|[^"\\\n])*"/, with: " ")
    names = Set(bare.matches(of: /\b[A-Z]\w*/.wordBoundaryKind(.simple)).map { String($0.output) })
  }

  /// The path of its folder.
  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
}

enum SourceTree {
  /// The package's directory.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// Returns a file's text by its path from the root.
  static func text(_ path: String) throws -> String { try String(contentsOfFile: root + "/" + path, encoding: .utf8) }

  /// The files of Sources, which several tests need, and which take seconds to read in a debug build.
  private static let sources = files("Sources")

  /// Returns all Swift files below a folder.
  static func read(_ folder: String) -> [SourceFile] {
    guard folder == "Sources" || folder.hasPrefix("Sources/") else { return files(folder) }
    return sources.filter { $0.path.hasPrefix(folder + "/") }
  }

  private static func files(_ folder: String) -> [SourceFile] {
    let paths = FileManager.default.enumerator(atPath: root + "/" + folder)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
      (try? text("\(folder)/\(path)")).map { SourceFile(path: "\(folder)/\(path)", text: $0) }
    }
  }

  /// Returns the groups of folders of each target that depend on each other in a cycle.
  ///
  /// Files of a module see each other without an import, so dependencies are found by names: a folder depends on
  /// another one if one of its files names a type that is declared there, and only there.
  static func circles(_ files: [SourceFile]) -> [String: [[String]]] {
    let targets = Dictionary(grouping: files) { String($0.path.split(separator: "/")[1]) }
    return targets.mapValues { files in
      var homes: [String: Set<String>] = [:]
      for file in files { for name in file.declarations { homes[name, default: []].insert(file.path) } }
      var arrows: [String: Set<String>] = [:]
      for file in files {
        for name in file.names {
          guard let home = homes[name], home.count == 1, let path = home.first else { continue }
          let folder = path.split(separator: "/").dropLast().joined(separator: "/")
          if folder != file.folder { arrows[file.folder, default: []].insert(folder) }
        }
      }
      return components(arrows)
    }
  }

  /// Returns the sets of two or more nodes that all reach each other.
  private static func components(_ arrows: [String: Set<String>]) -> [[String]] {
    func reached(from start: String) -> Set<String> {
      var seen: Set<String> = []
      var waiting = [start]
      while let node = waiting.popLast() {
        for next in arrows[node] ?? [] where seen.insert(next).inserted { waiting.append(next) }
      }
      return seen
    }
    let all = Dictionary(uniqueKeysWithValues: arrows.keys.map { ($0, reached(from: $0)) })
    let circles = all.keys.filter { all[$0]?.contains($0) == true }.map { node in
      all.keys.filter { all[node]?.contains($0) == true && all[$0]?.contains(node) == true }.sorted()
    }
    return Set(circles).sorted { $0[0] < $1[0] }
  }
}
