import ArgumentParser
import Foundation

@testable import StorageBench

/// Commands and options as the parser knows them: what it prints for `--experimental-dump-help`, as far as tests need it.
struct CommandTree: Decodable {
  var commandName: String
  var abstract: String?
  var subcommands: [CommandTree]?
  var arguments: [Item]?

  /// An option, a flag or an argument.
  struct Item: Decodable, Hashable {
    var kind: String
    var isRepeating: Bool
    var names: [Name]?
    var valueName: String?
    var abstract: String?

    var isPositional: Bool { kind == "positional" }
    /// As it is typed, with its dashes, the short name first.
    var spellings: [String] {
      (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.sorted { $0.count < $1.count }
    }
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
