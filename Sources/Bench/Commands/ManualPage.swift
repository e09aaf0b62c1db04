import ArgumentParser
import Foundation

/// The man page of a program, in the language of man(7), made from what its parser knows.
///
/// Options that several commands have in the same words are told once, in a section of their own.
struct ManualPage {
  /// The page, to be written to a file `NAME.1`.
  private(set) var text = ""
  private let root: CommandTree
  /// What several commands have in common.
  private let shared: [CommandTree.Item]

  /// - Parameters:
  ///   - command: The root of the command line.
  ///   - date: When the program was built; in UTC, so that it is the same wherever the page is made.
  ///   - exitCodes: What they mean.
  init(
    of command: any ParsableCommand.Type, version: String, date: Date, exitCodes: [(status: Int32, words: String)]
  ) throws {
    root = try CommandTree(of: command)
    let all = (root.subcommands ?? []).flatMap { $0.arguments ?? [] }
    let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
    var told: Set<CommandTree.Item> = []
    shared = all.filter { counts[$0, default: 0] > 2 && !$0.isPositional && told.insert($0).inserted }

    let day = date.formatted(.iso8601.year().month().day())
    let name = root.commandName
    line(".TH \(Self.quoted(name.uppercased())) 1 \(day) \(Self.quoted("\(name) \(version)"))")
    section("Name")
    prose("\(name) - \(root.abstract ?? "")", isContinued: true)
    synopsis()
    section("Description")
    // The exit codes have a section of their own.
    let paragraphs = Self.paragraphs(root.discussion).filter { !$0.hasPrefix("Exit codes:") }
    for (place, paragraph) in paragraphs.enumerated() { prose(paragraph, isContinued: place == 0) }
    section("Commands")
    for command in commands { describe(command) }
    section("Options of several commands")
    for option in shared { item(option) }
    section("Exit status")
    for (status, words) in exitCodes {
      line(".TP 6\n.B \(status)")
      prose(words + ".", isContinued: true)
    }
  }

  /// `help` explains itself.
  private var commands: [CommandTree] { (root.subcommands ?? []).filter { $0.commandName != "help" } }

  private mutating func synopsis() {
    section("Synopsis")
    for (place, command) in commands.enumerated() {
      if place > 0 { line(".br") }
      line(".B \(Self.escaped("\(root.commandName) \(command.commandName)"))")
      for argument in command.arguments ?? [] where argument.isPositional { line(usage(argument)) }
      for option in command.arguments ?? [] where !option.isPositional && !option.isOptional { line(usage(option)) }
      line("[\\fIoptions\\fR]")
    }
  }

  private func usage(_ item: CommandTree.Item) -> String {
    let name = item.spellings.last.map { "\\fB\(Self.escaped($0))\\fR" }
    let value = item.value.map { "\\fI\(Self.escaped($0))\\fR" }
    // A point at the end of a line would be taken for the end of a sentence.
    let text = [name, value].compactMap { $0 }.joined(separator: " ") + (item.isRepeating ? "...\\&" : "")
    return item.isOptional ? "[\(text)]" : text
  }

  private mutating func describe(_ command: CommandTree) {
    line(".SS \(Self.quoted("\(root.commandName) \(command.commandName)"))")
    prose(command.abstract ?? "", isContinued: true)
    for paragraph in Self.paragraphs(command.discussion) { prose(paragraph) }
    let arguments = command.arguments ?? []
    for argument in arguments where !shared.contains(argument) { item(argument) }
    let common = arguments.filter(shared.contains).compactMap { $0.spellings.last }
    // All have them.
    let own = common.filter { $0 != "--help" && $0 != "--version" }
    if !own.isEmpty { prose("It also takes these, which are described below: \(own.joined(separator: ", ")).") }
  }

  /// One option with its help, indented.
  private mutating func item(_ item: CommandTree.Item) {
    let names = item.spellings.map { "\\fB\(Self.escaped($0))\\fR" }.joined(separator: ", ")
    let value = item.value.map { "\\fI\(Self.escaped($0))\\fR" }
    line(".TP\n" + [names.isEmpty ? nil : names, value].compactMap { $0 }.joined(separator: " "))
    prose(item.abstract ?? "", isContinued: true)
  }

  // MARK: - The language of man pages

  private mutating func line(_ line: String) { text += line + "\n" }

  private mutating func section(_ title: String) { line(".SH \(title.uppercased())") }

  /// A paragraph, filled by man; lines of its own stay lines.
  private mutating func prose(_ paragraph: String, isContinued: Bool = false) {
    if !isContinued { line(".PP") }
    guard !paragraph.contains("\n") else {
      line(".nf")
      for part in paragraph.split(separator: "\n") { line(Self.guarded(Self.escaped(String(part)))) }
      return line(".fi")
    }
    // Each sentence begins a line, as man wants it, and no line is longer than it likes.
    var current = ""
    for word in paragraph.split(separator: " ") {
      let word = Self.escaped(String(word))
      let endsSentence = current.hasSuffix(".") || current.hasSuffix("?")
      if !current.isEmpty, endsSentence || current.utf8.count + word.utf8.count > 77 {
        line(Self.guarded(current))
        current = ""
      }
      current += current.isEmpty ? word : " " + word
    }
    if !current.isEmpty { line(Self.guarded(current)) }
  }

  private static func paragraphs(_ text: String?) -> [String] {
    (text ?? "").split(separator: "\n\n").map { $0.trimmingCharacters(in: .newlines) }
  }

  /// What roff would take for an escape or for a hyphen, as it is to be typed.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
      .replacing("^", with: "\\(ha").replacing("~", with: "\\(ti").replacing("`", with: "\\(ga")
  }

  /// A text line; a point at its beginning would make it a request.
  private static func guarded(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }

  private static func quoted(_ text: String) -> String { "\"\(escaped(text).replacing("\"", with: "\\(dq"))\"" }
}
