import ArgumentParser
import Foundation
import StorageBackends
import StorageContract
import StorageTrial
import StorageWorkloads
import Testing

@testable import StorageBench

/// What is installed beside the program: its man page, and what shells complete.
@Suite struct ManualTests {
  /// Without `help`, which is the parser's own.
  private static func tree(of command: any ParsableCommand.Type = RootCommand.self) throws -> CommandTree {
    var tree = try CommandTree(of: command)
    tree.subcommands?.removeAll { $0.commandName == "help" }
    return tree
  }

  private static func page(of command: any ParsableCommand.Type = RootCommand.self) throws -> String {
    try ManualPage(
      of: command, version: "1.2", date: Date(timeIntervalSince1970: 86_400), exitCodes: ExitStatus.meanings
    ).text
  }

  /// What has no help, as it would be typed.
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

  @Test func thePageNamesEveryCommandAndOption() throws {
    let tree = try Self.tree()
    let page = try Self.page()
    let shown = page.replacing("\\-", with: "-")
    let commands = tree.subcommands ?? []
    #expect(commands.count == RootCommand.configuration.subcommands.count)
    for command in commands {
      let name = "\(tree.commandName) \(command.commandName)"
      let part = try #require(shown.split(separator: "\n.SS \"\(name)\"\n").dropFirst().first, "\(name)")
      let own = part.prefix(upTo: part.firstRange(of: "\n.S")?.lowerBound ?? part.endIndex)
      for spelling in (command.arguments ?? []).compactMap({ $0.spellings.last }) {
        let isForAll = ["--help", "--version"].contains(spelling)
        #expect((isForAll ? shown[...] : own).contains(spelling), "\(name) \(spelling)")
      }
    }
    for (status, words) in ExitStatus.meanings { #expect(page.contains(".B \(status)\n\(words).\n")) }
    #expect(page.hasPrefix(".TH \"\(tree.commandName.uppercased().replacing("-", with: "\\-"))\" 1 1970-01-02 "))
    // What several commands share is told once.
    #expect(shown.matches(of: /\n\.TP\n[^\n]*--cell-limit/).count == 1)
  }

  /// What mandoc and groff complain of.
  @Test func thePageIsInTheLanguageOfManPages() throws {
    let lines = try Self.page().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let known: Set<Substring> = [".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".br", ".nf", ".fi"]
    #expect(lines.count > 300)
    var isFilled = true
    for line in lines {
      if line == ".nf" || line == ".fi" { isFilled = line == ".fi" }
      #expect(!line.isEmpty && !line.hasSuffix(" ") && !line.hasPrefix("'"), "\(line)")
      #expect(line.utf8.count <= 80 || !isFilled || line.hasPrefix(".TH"), "\(line)")
      #expect(line.utf8.allSatisfy { $0 < 128 }, "\(line)")
      if line.hasPrefix(".") { #expect(known.contains(line.prefix { $0 != " " }), "\(line)") }
    }
  }

  @Test func textsAreNoRequests() throws {
    let page = try Self.page(of: Hostile.self)
    #expect(page.contains("\n\\&.so /etc/passwd is no request, and a\\eb stays.\n"))
    #expect(page.contains("\n\\&.TH first\n  second line\n"))
  }

  private struct Hostile: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "hostile", abstract: "A program.", discussion: ".TH first\n  second line",
      subcommands: [Child.self])
    struct Child: ParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "child", abstract: "Sentence. .so /etc/passwd is no request, and a\\b stays.")
    }
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
    func completions(_ typed: String) -> [String] { ListBeingTyped(typed).completions(known) }
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

  /// The scripts ask the program, which knows the backends that it was handed.
  @Test func theProgramAnswersTheShell() throws {
    let catalog = Catalog(backends: Backends.all, workloads: Workloads.all)
    func answer(_ arguments: String...) throws -> [String] {
      try Catalog.$current.withValue(catalog) {
        do {
          _ = try RootCommand.parseAsRoot(["---completion"] + arguments)
        } catch {
          #expect(RootCommand.exitCode(for: error) == .success)
          return RootCommand.fullMessage(for: error).split(separator: "\n").map(String.init)
        }
        throw UsageError("the parser took a question of the shell for a command")
      }
    }
    #expect(try answer("run", "--", "--backend", "3", "3", "p", "run", "-b", "sql") == ["sqlite", "sqlite-queue"])
    #expect(try answer("crashtest", "--", "--workload", "3", "7", "p", "crashtest", "-w", "save-on") == ["save-one"])
    #expect(try answer("trace", "--", "positional@0", "2", "4", "p", "trace", "lmdb").contains("lmdb"))
  }
}
