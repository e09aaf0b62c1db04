import ArgumentParser
import Foundation

/// Commands and options as the parser knows them: what it prints for `--experimental-dump-help`, as far as a man page
/// needs it.
///
/// The package plugin that the parser comes with makes man pages, too. Its pages say of every program that it "exits 0 on
/// success, and >0 if an error occurs", and it would have to be built for each program; this one prints its own.
struct CommandTree: Decodable {
  var commandName: String
  var abstract: String?
  var discussion: String?
  var subcommands: [CommandTree]?
  var arguments: [Item]?

  /// An option, a flag or an argument.
  struct Item: Decodable, Hashable {
    var kind: String
    var isOptional: Bool
    var isRepeating: Bool
    var names: [Name]?
    var valueName: String?
    var abstract: String?
    var shouldDisplay: Bool

    /// As it is typed, with its dashes, the short name first.
    var spellings: [String] {
      (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.sorted { $0.count < $1.count }
    }
    var isPositional: Bool { kind == "positional" }
    /// What stands behind its name; nil for a flag.
    var value: String? { kind == "flag" ? nil : valueName }
  }

  struct Name: Decodable, Hashable {
    var kind: String
    var name: String
  }

  /// Everything below a command.
  init(of command: any ParsableCommand.Type) throws {
    struct Dump: Decodable { var command: CommandTree }
    do {
      _ = try command.parseAsRoot(["--experimental-dump-help"])
      throw ExitStatus.Failure(ExitStatus.ioError, "the parser tells nothing of its commands")
    } catch let error where command.exitCode(for: error) == .success {
      self = try JSONDecoder().decode(Dump.self, from: Data(command.fullMessage(for: error).utf8)).command
    }
  }
}
