import Foundation
import StorageContract
import StorageTrial
import Yams

/// A YAML node of a plan file, with its position for error messages.
struct PlanNode {
  private let node: Node
  private let path: String
  private let catalog: Catalog
  private let outer: Int?

  static func document(_ text: String, path: String, catalog: Catalog) throws -> PlanNode {
    do {
      guard let node = try Yams.compose(yaml: text) else {
        throw UsageError("\(path) is empty; write lines such as 'workload: [save-one, read-one]'")
      }
      return PlanNode(node: node, path: path, catalog: catalog, outer: nil)
    } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
      let line = duplicate(keys.first ?? "", in: text, from: context.mark.line)
      throw UsageError("\(path), line \(line): key '\(keys.first ?? "")' is given twice; give it once")
    } catch let error as YamlError {
      guard let line = error.line else {
        throw UsageError(
          "\(path) has a character that YAML forbids, such as a control character; "
            + "remove it, or save the file as UTF-8")
      }
      throw UsageError("\(path), line \(line): this is not YAML; correct it, and put texts with ': ' or '#' in quotes")
    }
  }

  /// Returns the line number of the second occurrence of a YAML key.
  ///
  /// - Parameter line: The line at which the search begins. Without a second occurrence, this line is returned.
  private static func duplicate(_ key: String, in text: String, from line: Int) -> Int {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let indices = lines.indices.dropFirst(max(0, line - 1)).filter { index in
      lines[index].drop { $0 == " " || $0 == "-" }.hasPrefix("\(key):")
    }
    return indices.count > 1 ? indices[indices.startIndex + 1] + 1 : line
  }

  func error(_ sentence: String) -> UsageError {
    let line = (node.mark?.line ?? outer).map { ", line \($0)" } ?? ""
    return UsageError("\(path)\(line): \(sentence)")
  }

  /// Returns the keys with their values. `key` has the position of a key for error messages.
  func entries() throws -> [(name: String, key: PlanNode, value: PlanNode)] {
    guard let mapping = node.mapping else {
      throw error("this is not a list of keys; write 'key: value', one per line")
    }
    return try mapping.map { key, value in
      let place = inner(key)
      guard let name = key.scalar?.string else { throw place.error("a key is a word, such as 'workload'") }
      return (name, place, inner(value, of: key))
    }
  }

  /// Returns the items of a list. A node that is not a list counts as a list with one item.
  func items() -> [PlanNode] { node.sequence.map { $0.map { inner($0) } } ?? [self] }

  func texts(_ key: CommandTree.Item) throws -> [String] {
    let nodes = key.isSeveral ? items() : [self]
    guard !nodes.isEmpty else {
      throw error("the list of \(key.name) is empty; name something, or leave the key out")
    }
    return try nodes.map { node in
      let text = try node.text(key)
      try node.attempt(key) { try RunOptions.check(key, text, catalog) }
      return text
    }
  }

  private func text(_ key: CommandTree.Item) throws -> String {
    if case .mapping = node, ["backend", "workload"].contains(key.name) { return try specification(key) }
    guard let scalar = node.scalar else {
      if key.isSwitch { throw error("\(key.name) is true or false, not \(kind)") }
      throw error(
        key.isSeveral
          ? "an item of \(key.name) is one word or number, not \(kind)" : "\(key.name) takes one value, not \(kind)")
    }
    guard node.null == nil else { throw error("\(key.name) has no value; give it one, or leave the key out") }
    if key.isSwitch {
      guard let isOn = node.bool else { throw error("\(key.name) is true or false, not '\(scalar.string)'") }
      return String(isOn)
    }
    // A relative path in a plan is relative to the plan file.
    return key.isPath
      ? URL(fileURLWithPath: scalar.string, relativeTo: URL(fileURLWithPath: path)).path : scalar.string
  }

  /// Returns a backend or workload with options as text: `mix: {read: 80, update: 20}` becomes `mix:read=80:update=20`.
  private func specification(_ key: CommandTree.Item) throws -> String {
    let entries = try entries()
    guard entries.count == 1, let (name, place, options) = entries.first else {
      throw error(
        "an item of \(key.name) must have exactly one name; write '- name: {option: value}', one name per item")
    }
    let description = try place.attempt(key) {
      key.name == "backend"
        ? (owner: "backend \(name)", options: try catalog.backend(name).description.options)
        : (owner: "workload \(name)", options: try catalog.workloadType(name).description.options)
    }
    let parts = try options.entries().map { option, place, value -> String in
      guard let text = value.node.scalar?.string, value.node.null == nil else {
        throw value.error("option \(option) of \(description.owner) takes one value")
      }
      let part = "\(option)=\(text)"
      try place.attempt(key) {
        _ = try Options(parsing: [part], specs: description.options, owner: description.owner)
      }
      return part
    }
    return ([name] + parts).joined(separator: ":")
  }

  /// Runs the body. A `UsageError` is thrown again with the line and the key of the plan file.
  private func attempt<Result>(_ key: CommandTree.Item, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as UsageError {
      let flag = "--\(key.name)"
      throw self.error(error.description.hasPrefix(flag) ? String(error.description.dropFirst(2)) : error.description)
    }
  }

  private var kind: String {
    switch node {
    case .mapping: "keys with values"
    case .sequence: "a list"
    default: "this"
    }
  }

  private func inner(_ node: Node, of key: Node? = nil) -> PlanNode {
    PlanNode(node: node, path: path, catalog: catalog, outer: key?.mark?.line ?? self.node.mark?.line ?? outer)
  }
}

extension YamlError {
  /// The line of a mistake in the syntax; nil for other errors.
  var line: Int? {
    switch self {
    case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
    default: nil
    }
  }
}
