import ArgumentParser
import Foundation
import StorageContract
import StorageTrial
import Testing

@testable import StorageBench

@Suite struct HelpTests {
  /// Returns the commands without `help`, which belongs to the parser.
  private static func tree(of command: any ParsableCommand.Type = RootCommand.self) throws -> CommandTree {
    var tree = try CommandTree(of: command)
    tree.subcommands?.removeAll { $0.commandName == "help" }
    return tree
  }

  /// Returns the commands and arguments without a help text.
  private static func unexplained(_ command: CommandTree) -> [String] {
    let arguments = (command.arguments ?? []).filter { ($0.abstract ?? "").isEmpty }
    let own = (command.abstract ?? "").isEmpty ? [command.commandName] : []
    return own + arguments.map { "\(command.commandName) \($0.spellings.first ?? $0.valueName ?? "")" }
      + (command.subcommands ?? []).flatMap(unexplained)
  }

  @Test func everythingHasHelp() throws {
    #expect(Self.unexplained(try Self.tree()) == [])
    #expect(Self.unexplained(try Self.tree(of: Unexplained.self)).prefix(2) == ["unexplained", "unexplained --secret"])
  }

  private struct Unexplained: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unexplained")
    @Flag var secret = false
  }

  @Test func theHelpTellsTheExitCodes() {
    let help = RootCommand.helpMessage(columns: 1_000)
    for (status, words) in ExitStatus.meanings { #expect(help.contains("\(status) \(words)"), "\(status)") }
  }

  @Test(arguments: CompletionShell.allCases) func shellsCompleteEverything(shell: CompletionShell) throws {
    let script = RootCommand.completionScript(for: shell)
    for command in try Self.tree().subcommands ?? [] {
      #expect(script.contains(command.commandName), "\(shell.rawValue) \(command.commandName)")
      for item in command.arguments ?? [] {
        guard let long = item.spellings.last(where: { $0.hasPrefix("--") }) else { continue }
        let word = shell == .fish ? "-l '\(long.dropFirst(2))'" : long
        #expect(script.contains(word), "\(shell.rawValue) \(command.commandName) \(long)")
      }
    }
  }

  @Test func valuesAreCompletedByName() {
    let known: [(id: String, options: [OptionSpec])] = [
      ("plist", []),
      ("sqlite", [OptionSpec("journal", ["auto", "wal"], help: ""), OptionSpec("cache", .number(7), help: "")]),
      ("sqlite-queue", []),
    ]
    func completions(_ typed: String) -> [String] { CompletionKind.completions(of: typed, among: known) }
    #expect(completions("") == ["plist", "sqlite", "sqlite-queue"])
    #expect(completions("sq") == ["sqlite", "sqlite-queue"])
    #expect(completions("plist,") == ["plist,sqlite", "plist,sqlite-queue"])
    #expect(completions("plist,sqlite-") == ["plist,sqlite-queue"])
    #expect(completions("sqlite:") == ["sqlite:journal=auto", "sqlite:journal=wal", "sqlite:cache=7"])
    #expect(completions("plist,sqlite:journal=w") == ["plist,sqlite:journal=wal"])
    #expect(completions("sqlite:journal=wal:") == ["sqlite:journal=wal:cache=7"])
    #expect(completions("sqlite\\:ca") == ["sqlite:cache=7"])
    for nonsense in ["x", "plist:", "nobody:journal=", ",:=,:", "sqlite::", "sqlite:=", "*"] {
      #expect(completions(nonsense) == [] || nonsense == "sqlite::", "\(nonsense)")
    }
  }

  /// Completion scripts run the program, because the program knows its backends.
  @Test func theProgramAnswersTheShell() throws {
    let catalog = Catalog.whole
    func answer(_ arguments: String...) throws -> [String] {
      try Catalog.$current.withValue(catalog) {
        do {
          _ = try RootCommand.parseAsRoot(["---completion"] + arguments)
        } catch {
          #expect(RootCommand.exitCode(for: error) == .success)
          // After it has generated a completion script for zsh, the parser ends each list with one blank word.
          return RootCommand.fullMessage(for: error).split(separator: "\n").map(String.init).filter { $0 != " " }
        }
        throw UsageError("the parser took a question of the shell for a command")
      }
    }
    #expect(try answer("run", "--", "--backend", "3", "3", "p", "run", "-b", "sql") == ["sqlite", "sqlite-queue"])
    #expect(try answer("crashtest", "--", "--workload", "3", "7", "p", "crashtest", "-w", "save-on") == ["save-one"])
    #expect(try answer("trace", "--", "positional@0", "2", "4", "p", "trace", "lmdb").contains("lmdb"))
  }
}
