import ArgumentParser
import StorageContract
import StorageTrial

/// The shell completions for option values. The shell asks this program, so a user's own backends are included.
extension CompletionKind {
  static let backends = specs { Catalog.current.backends.map { ($0.description.id, $0.description.options) } }

  static let workloads = specs { Catalog.current.workloads.map { ($0.description.id, $0.description.options) } }

  static func words(_ words: [String]) -> CompletionKind { specs { words.map { ($0, []) } } }

  private static func specs(_ specs: @escaping @Sendable () -> [(String, [OptionSpec])]) -> CompletionKind {
    .custom { _, _, typed in
      let words = completions(of: typed, among: specs())
      // zsh needs escaped colons.
      return CompletionShell.requesting == .zsh ? words.map { $0.replacing(":", with: "\\:") } : words
    }
  }

  /// Returns the completions for the last item of a list that the user is typing, such as `plist,sqlite:journal=w`.
  static func completions(of typed: String, among known: [(id: String, options: [OptionSpec])]) -> [String] {
    // zsh passes the word as it was typed, with escapes.
    let items = typed.replacing("\\", with: "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let before = items.dropLast()
    let parts = (items.last ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let given = parts.dropLast()
    let names = given.map { part in String(part.prefix { $0 != "=" }) }
    let options = given.first.flatMap { id in known.first { $0.id == id }?.options } ?? []
    let settings = options.filter { !names.contains($0.name) }.flatMap { option in
      option.completableValues.map { "\(option.name)=\($0)" }
    }
    let start = given.map { $0 + ":" }.joined()
    return (given.isEmpty ? known.map(\.id) : settings).filter { $0.hasPrefix(parts.last ?? "") }.map { start + $0 }
      .filter { !before.contains($0) }.map { before.map { $0 + "," }.joined() + $0 }
  }
}

extension OptionSpec {
  fileprivate var completableValues: [String] {
    switch values {
    case .choice(let words), .choiceOrNumber(let words), .choiceOrPath(let words): words
    case .number, .size, .percentage, .duration: [defaultValue]
    }
  }
}
