import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// A plan file: the flags of `run`, written down.
///
///     label: my app
///     backend: [plist, sqlite, {sqlite: {journal: wal}}]
///     workload:
///       - save-one
///       - import: {batch: 1000}
///     records: [100, 10k]
///     durability: durable
///
/// In place of `workload`, `cells` has a list of lines with sizes, durabilities and backends of their own.
struct PlanFile: Sendable {
  /// As the user named it.
  let path: String
  private var entries: [Entry] = []
  /// Those that ``blocks`` have taken over.
  private var common: [Entry] = []
  /// The lines of `cells`, or nil.
  private(set) var blocks: [Profile.Block]?

  /// A key with its values.
  private typealias Entry = (key: CommandTree.Item, texts: [String])

  /// The keys of a line of `cells`.
  private static let ofLines = ["workload", "backend", "records", "durability", "record-bytes"]

  /// Keys that say the same in two ways, so that only one of them can be given.
  private static let rivals = [
    ["profile", "cells"], ["workload", "cells"], ["records", "dataset"], ["rounds", "budget"],
  ]

  /// The keys that exclude one.
  private static func rivals(of name: String) -> [String] {
    rivals.filter { $0.contains(name) }.flatMap { $0 }.filter { $0 != name }
  }

  /// Reads a plan.
  ///
  /// - Parameters:
  ///   - text: The file's text, in YAML.
  ///   - path: The file, for messages and as the place that relative paths in it are taken from.
  /// - Throws: `UsageError` naming the file, the line and the fix.
  init(_ text: String, path: String, catalog: Catalog) throws {
    self.path = path
    let document = try PlanNode.document(text, path: path, catalog: catalog)
    let entries = try document.entries()
    let keys = try RunOptions.keys
    var lines: [[String: [String]]]?
    for (name, node) in entries {
      if name.text == "cells" {
        lines = try node.items().map { try Self.line($0, keys) }
        continue
      }
      guard let key = keys.first(where: { $0.name == name.text }) else {
        throw name.node.error(
          Nearest.sentence("key", name.text, of: "the plan", among: keys.map(\.name) + ["cells"]))
      }
      if let rival = Self.rivals(of: key.name).first(where: { rival in
        entries.contains { $0.name.text == rival }
      }) {
        throw name.node.error("\(key.name) and \(rival) say the same in two ways; leave out one")
      }
      self.entries.append((key, try node.texts(key)))
    }
    guard !entries.isEmpty else {
      throw UsageError("\(path) has no keys; write lines such as 'workload: [save-one, read-one]'")
    }
    guard let lines else { return }
    // What stands at the top holds for the lines that say nothing else, or for the profile named in their place.
    common = self.entries.filter { Self.ofLines.contains($0.key.name) }
    self.entries.removeAll { Self.ofLines.contains($0.key.name) }
    let defaults = Dictionary(uniqueKeysWithValues: common.map { ($0.key.name, $0.texts) })
    blocks = try lines.map { try Self.block($0.merging(defaults) { line, _ in line }) }
  }

  /// The keys of one line of `cells`.
  private static func line(_ node: PlanNode, _ keys: [CommandTree.Item]) throws -> [String: [String]] {
    var texts: [String: [String]] = [:]
    for (name, value) in try node.entries() {
      guard ofLines.contains(name.text), let key = keys.first(where: { $0.name == name.text }) else {
        throw name.node.error(Nearest.sentence("key", name.text, of: "cells", among: ofLines))
      }
      texts[key.name] = try value.texts(key)
    }
    guard texts["workload"] != nil else {
      throw node.error("this line of cells names no workload; write '- workload: save-one' and its sizes below it")
    }
    return texts
  }

  /// What a line asks for. Its texts have been checked, each at its place.
  private static func block(_ texts: [String: [String]]) throws -> Profile.Block {
    let joined = texts.mapValues { $0.joined(separator: ",") }
    let cells = try CellOptions.parse(joined.map { "--\($0)=\($1)" })
    return Profile.Block(
      workloads: cells.workload ?? "", backends: cells.backend, records: cells.records ?? [1_000],
      durabilities: cells.durability ?? [.shipped], recordBytes: cells.recordBytes)
  }

  /// The options of the plan and of the flags beside it: a flag takes the place of the key of its name, and of that key's
  /// rivals.
  ///
  /// - Parameter arguments: Those of the command, as ``CommandTree/joined(_:)`` has them.
  func options(beside arguments: [String]) throws -> RunOptions {
    let given = Set(try RunOptions.tree.words(arguments).compactMap(\.item?.name))
    let texts = (entries + (given.contains("profile") ? common : [])).filter { entry in
      !given.contains(entry.key.name) && given.isDisjoint(with: Self.rivals(of: entry.key.name))
    }
    return try RunOptions.parse(texts.flatMap(Self.arguments) + arguments)
  }

  /// A key as the command line has it.
  private static func arguments(_ entry: Entry) -> [String] {
    let flag = entry.key.flag
    if entry.key.isSwitch { return entry.texts == ["true"] ? [flag] : [] }
    return entry.key.isRepeating
      ? entry.texts.map { "\(flag)=\($0)" } : ["\(flag)=\(entry.texts.joined(separator: ","))"]
  }
}

/// What `--plan` names: a plan file, or the plan of a run that is to be repeated.
enum PlanSource: Sendable {
  case file(PlanFile)
  case run(Plan)

  /// Reads it.
  ///
  /// - Throws: `UsageError` naming the file and the fix.
  init(path: String, catalog: Catalog) throws {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw UsageError("--plan \(path) does not exist; name a plan file, or the plan.json of a run")
    }
    guard !isDirectory.boolValue else {
      throw UsageError("--plan \(path) is a directory; name a file, such as \(path)/plan.json")
    }
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw UsageError("cannot read \(path): \(AtomicFile.reason(of: error))")
    }
    if path.hasSuffix(".json") || RunDirectory.isPlan(data) {
      self = .run(try RunDirectory.plan(data, path: path))
    } else {
      guard let text = String(bytes: data, encoding: .utf8) else {
        throw UsageError("\(path) is not UTF-8; write it again as such")
      }
      self = .file(try PlanFile(text, path: path, catalog: catalog))
    }
  }
}
