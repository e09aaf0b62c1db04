import ArgumentParser
import Foundation
import StorageContract

/// A command with its options, as the argument parser prints them for `--experimental-dump-help`.
struct CommandTree: Decodable, Sendable {
  let commandName: String
  let abstract: String?
  var subcommands: [CommandTree]?
  let arguments: [Item]?

  struct Item: Decodable, Hashable, Sendable {
    let kind: String
    let isRepeating: Bool
    let names: [Name]?
    let valueName: String?
    let abstract: String?
    let completionKind: [String: Completion]?

    var isPositional: Bool { kind == "positional" }
    var spellings: [String] {
      (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.sorted { $0.count < $1.count }
    }
    /// The long name of the option with dashes, such as `--backend`.
    var flag: String { spellings.first { $0.hasPrefix("--") } ?? spellings.first ?? "" }
    var name: String { String(flag.drop { $0 == "-" }) }
    var isSwitch: Bool { kind == "flag" }
    var isList: Bool { valueName?.contains(",...") == true }
    var isSeveral: Bool { isList || isRepeating }
    var isPath: Bool { completionKind?["file"] != nil || completionKind?["directory"] != nil }
  }

  struct Name: Decodable, Hashable, Sendable {
    let kind: String
    let name: String
  }

  /// A placeholder for the details of a shell completion, which are not needed.
  struct Completion: Decodable, Hashable, Sendable {}

  init(of command: any ParsableArguments.Type) throws {
    struct Dump: Decodable { let command: CommandTree }
    do {
      _ = try command.parse(["--experimental-dump-help"])
      throw ExitStatus.Failure(
        ExitStatus.ioError, "internal error: the argument parser does not list its commands; report it")
    } catch let error where command.exitCode(for: error) == .success {
      self = try JSONDecoder().decode(Dump.self, from: Data(command.fullMessage(for: error).utf8)).command
    }
  }

  var flags: [Item] { (arguments ?? []).filter { !$0.isPositional } }

  /// An argument of a command line, or an option together with its value.
  struct Word {
    let texts: [String]
    let item: Item?
    let spelling: String
    let value: String?
  }

  func words(_ arguments: [String]) -> [Word] {
    let items = Dictionary(flags.flatMap { item in item.spellings.map { ($0, item) } }) { first, _ in first }
    var words: [Word] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument != "--" else {
        return words + ([argument] + rest).map { Word(texts: [$0], item: nil, spelling: $0, value: nil) }
      }
      let given = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let spelling = given.first ?? ""
      let item = items[spelling]
      var word = (texts: [argument], value: given.count == 2 ? given[1] : nil)
      if let item, !item.isSwitch, word.value == nil, let next = rest.first, !next.hasPrefix("-") {
        word = ([argument, next], next)
        rest.removeFirst()
      }
      words.append(Word(texts: word.texts, item: item, spelling: spelling, value: word.value))
    }
    return words
  }

  /// Returns the arguments with repeated list options joined: `-w a -w b` becomes `-w a,b`.
  ///
  /// - Throws: `UsageError` if an option with a single value is given with two different values.
  func joined(_ arguments: [String]) throws -> [String] {
    var joined: [[String]] = []
    var seen: [String: (index: Int, value: String)] = [:]
    for word in words(arguments) {
      guard let item = word.item, let value = word.value, !item.isRepeating, !item.isSwitch else {
        joined.append(word.texts)
        continue
      }
      guard let (index, earlier) = seen[item.flag] else {
        seen[item.flag] = (joined.count, value)
        // The option stays in one argument or two, because errors show it as typed.
        joined.append(word.texts)
        continue
      }
      if item.isList {
        let all = earlier + "," + value
        seen[item.flag] = (index, all)
        joined[index] = joined[index].count == 2 ? [joined[index][0], all] : ["\(item.flag)=\(all)"]
      } else if value != earlier {
        throw UsageError("\(word.spelling) is given twice, with '\(earlier)' and '\(value)'; give it once")
      }
    }
    return joined.flatMap { $0 }
  }
}
