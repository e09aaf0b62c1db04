import StorageContract
import StorageTrial

/// A plan file, with options of the command `run` as keys in YAML.
///
///     backend: [plist, {sqlite: {journal: wal}}]
///     workload: [save-one, {import: {batch: 1000}}]
struct PlanFile: Sendable {
  let path: String
  /// The keys at the top level of the file, such as `records`, apart from `cells`.
  private var entries: [Entry] = []
  private(set) var blocks: [Profile.Block]?

  private typealias Entry = (key: CommandTree.Item, texts: [String])

  private static let ofLines = ["workload", "backend", "records", "durability", "record-bytes"]

  /// Lists of keys that exclude each other: a plan file may contain only one key of each list.
  private static let rivals = [
    ["profile", "cells"], ["workload", "cells"], ["records", "dataset"], ["rounds", "budget"],
  ]

  private static func rivals(of name: String) -> [String] {
    rivals.filter { $0.contains(name) }.flatMap { $0 }.filter { $0 != name }
  }

  /// Parses the text of a plan file. `path` is the path of the file, and the base of relative paths in the text.
  ///
  /// - Throws: `UsageError` that names the file, the line and the fix.
  init(_ text: String, path: String, catalog: Catalog) throws {
    self.path = path
    let document = try PlanNode.document(text, path: path, catalog: catalog)
    let entries = try document.entries()
    let keys = try RunOptions.keys
    var lines: [[String: String]]?
    for (name, place, node) in entries {
      if name == "cells" {
        lines = try node.items().map { try Self.line($0, keys) }
        continue
      }
      guard let key = keys.first(where: { $0.name == name }) else {
        throw place.error(Nearest.sentence("key", name, of: "the plan", among: keys.map(\.name) + ["cells"]))
      }
      if let rival = Self.rivals(of: key.name).first(where: { rival in
        entries.contains { $0.name == rival }
      }) {
        throw place.error("\(key.name) and \(rival) say the same in two ways; leave out one")
      }
      self.entries.append((key, try node.texts(key)))
    }
    guard !entries.isEmpty else {
      throw UsageError("\(path) has no keys; write lines such as 'workload: [save-one, read-one]'")
    }
    guard let lines else { return }
    let common = self.entries.filter { Self.ofLines.contains($0.key.name) }
    let defaults = Dictionary(uniqueKeysWithValues: common.map { ($0.key.name, $0.texts.joined(separator: ",")) })
    blocks = try lines.map { try Self.block($0.merging(defaults) { line, _ in line }) }
  }

  private static func line(_ node: PlanNode, _ keys: [CommandTree.Item]) throws -> [String: String] {
    var texts: [String: String] = [:]
    for (name, place, value) in try node.entries() {
      guard ofLines.contains(name), let key = keys.first(where: { $0.name == name }) else {
        throw place.error(Nearest.sentence("key", name, of: "cells", among: ofLines))
      }
      texts[key.name] = try value.texts(key).joined(separator: ",")
    }
    guard texts["workload"] != nil else {
      throw node.error("this line of cells names no workload; write '- workload: save-one' and its sizes below it")
    }
    return texts
  }

  private static func block(_ texts: [String: String]) throws -> Profile.Block {
    let cells = try CellOptions.parse(texts.map { "--\($0)=\($1)" })
    return Profile.Block(
      workloads: cells.workload ?? "", backends: cells.backend, records: cells.records ?? [1_000],
      durabilities: cells.durability ?? [.shipped], recordBytes: cells.recordBytes)
  }

  /// Returns the options of the command line and the plan file. An option replaces its key and all keys that exclude
  /// it: `--budget` also replaces `rounds`.
  ///
  /// - Parameter arguments: The command-line arguments, prepared by ``CommandTree/joined(_:)``.
  func options(beside arguments: [String]) throws -> RunOptions {
    let given = Set(try RunOptions.tree.words(arguments).compactMap(\.item?.name))
    // A key such as `records` outside `cells` is the default for each line of `cells`. If a profile replaces `cells`,
    // the key is an option of the run.
    let ofBlocks = blocks == nil || given.contains("profile") ? [] : Self.ofLines
    let texts = entries.filter { entry in
      !ofBlocks.contains(entry.key.name) && !given.contains(entry.key.name)
        && given.isDisjoint(with: Self.rivals(of: entry.key.name))
    }
    return try RunOptions.parse(texts.flatMap(Self.arguments) + arguments)
  }

  private static func arguments(_ entry: Entry) -> [String] {
    let flag = entry.key.flag
    if entry.key.isSwitch { return entry.texts == ["true"] ? [flag] : [] }
    return entry.key.isRepeating
      ? entry.texts.map { "\(flag)=\($0)" } : ["\(flag)=\(entry.texts.joined(separator: ","))"]
  }
}
