import ArgumentParser
import Foundation

/// `manual`: the man page, for those who install the program.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Print this program's man page, for man to show.",
    discussion: """
      It is made from the commands and options that the program has, as --generate-completion-script makes what bash, \
      zsh and fish complete. To read it without installing: \(Program.name) manual | man -l -
      """)

  func run() throws {
    let built = try? FileManager.default.attributesOfItem(atPath: ProcessInfo.executable)[.modificationDate]
    let page = try ManualPage(
      of: RootCommand.self, version: suiteVersion, date: built as? Date ?? Date(), exitCodes: ExitStatus.meanings)
    StandardOutput.write(page.text)
  }
}
