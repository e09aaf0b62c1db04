import ArgumentParser
import Foundation
import StorageContract

/// A command with its flags as the parser knows them: the answer to `--experimental-dump-help`.
///
/// Code that has to know every flag asks here, so that a flag is declared once: keys of plan files, flags that add up, flags
/// that cannot be combined with another one.
struct CommandTree: Decodable, Sendable {
  /// As it is typed.
  let commandName: String
  /// The sentence in its list of commands.
  let abstract: String?
  /// The commands below it.
  var subcommands: [CommandTree]?
  /// Arguments, options and flags, in the order of the help.
  let arguments: [Item]?

  /// An argument, an option or a flag.
  struct Item: Decodable, Hashable, Sendable {
    let kind: String
    let isRepeating: Bool
    let names: [Name]?
    let valueName: String?
    let abstract: String?
    /// The way in which a shell completes the value, as a key.
    let completionKind: [String: Completion]?

    /// Whether its place names it.
    var isPositional: Bool { kind == "positional" }
    /// As it is typed, with its dashes, the short name first.
    var spellings: [String] {
      (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.sorted { $0.count < $1.count }
    }
    /// The long name, with its dashes.
    var flag: String { spellings.first { $0.hasPrefix("--") } ?? spellings.first ?? "" }
    /// The same without them.
    var name: String { String(flag.drop { $0 == "-" }) }
    /// Whether it takes no value.
    var isSwitch: Bool { kind == "flag" }
    /// Whether it takes a list with commas.
    var isList: Bool { valueName?.contains(",...") == true }
    /// Whether it can have several values.
    var isSeveral: Bool { isList || isRepeating }
    /// Whether its value is a path.
    var isPath: Bool { completionKind?["file"] != nil || completionKind?["directory"] != nil }
  }

  /// A name without its dashes.
  struct Name: Decodable, Hashable, Sendable {
    let kind: String
    let name: String
  }

  /// Details of a completion; none is read.
  struct Completion: Decodable, Hashable, Sendable {
    init(from decoder: any Decoder) throws {}
  }

  /// Asks the parser for everything below a command, or in a group of options.
  init(of command: any ParsableArguments.Type) throws {
    struct Dump: Decodable { let command: CommandTree }
    do {
      _ = try command.parse(["--experimental-dump-help"])
      throw ExitStatus.Failure(ExitStatus.ioError, "the parser tells nothing of its commands")
    } catch let error where command.exitCode(for: error) == .success {
      self = try JSONDecoder().decode(Dump.self, from: Data(command.fullMessage(for: error).utf8)).command
    }
  }

  /// The flags with their values, positional arguments left out.
  var flags: [Item] { (arguments ?? []).filter { !$0.isPositional } }

  /// One flag of a command line, with its value, or something else that stands there.
  struct Word {
    /// The arguments that it consists of.
    let texts: [String]
    /// Nil for a positional argument, and for a flag that the command does not have.
    let item: Item?
    /// The flag as it was typed.
    let spelling: String
    /// Nil where none is given.
    let value: String?
  }

  /// Divides the arguments of a command.
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

  /// The arguments with every list in one place: of an option that is given more than once, lists add up, as if commas stood
  /// between them; of one value there is one.
  ///
  /// The parser would take the last one in silence, and a gate would judge less than it was asked to.
  ///
  /// - Throws: `UsageError` naming an option of one value that is given twice.
  func joined(_ arguments: [String]) throws -> [String] {
    var joined: [[String]] = []
    /// By option: its place in the result, and its value.
    var seen: [String: (place: Int, value: String)] = [:]
    for word in words(arguments) {
      guard let item = word.item, let value = word.value, !item.isRepeating, !item.isSwitch else {
        joined.append(word.texts)
        continue
      }
      guard let (place, earlier) = seen[item.flag] else {
        seen[item.flag] = (joined.count, value)
        // As it was written, in one argument or two: complaints name it as it was typed.
        joined.append(word.texts)
        continue
      }
      if item.isList {
        let all = earlier + "," + value
        seen[item.flag] = (place, all)
        joined[place] = joined[place].count == 2 ? [joined[place][0], all] : ["\(item.flag)=\(all)"]
      } else if value != earlier {
        throw UsageError("\(word.spelling) is given twice, with '\(earlier)' and '\(value)'; give it once")
      }
    }
    return joined.flatMap { $0 }
  }
}
