/// Checks that every command named in an output exists, with its options.
enum CommandCheck: RunCheck {
  static let name = "commands"

  static func problems(_ run: FinishedRun) -> [String] {
    guard !run.commands.isEmpty else { return [] }
    let json = (run.json["verdict"] as? [String] ?? []).joined(separator: "\n")
    let texts = [run.page.text, run.markdown, run.terminal, json]
    var problems: [String] = []
    for text in texts {
      for match in text.matches(of: /storage-bench ([a-z]+)((?: --?[a-z][a-z-]*(?: [^-`\s][^\s`]*)?)*)/) {
        let command = String(match.1)
        guard let help = run.commands[command] else {
          problems.append("\u{201C}\(match.0)\u{201D} names a command that does not exist")
          continue
        }
        for option in match.2.matches(of: /(?: )(--[a-z-]+)/) where !help.contains(option.1) {
          problems.append("\u{201C}\(match.0)\u{201D} has an option that \(command) does not know")
        }
      }
    }
    return Array(Set(problems)).sorted()
  }
}
