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
      let words = ListBeingTyped(typed).completions(specs())
      // zsh needs escaped colons.
      return CompletionShell.requesting == .zsh ? words.map { $0.replacing(":", with: "\\:") } : words
    }
  }
}

/// A list that the user is typing, such as `plist,sqlite:journal=w`. Completions are for its last item.
struct ListBeingTyped {
  private let before: [String]
  private let parts: [String]

  init(_ text: String) {
    // zsh passes the word as it was typed, with escapes.
    let text = text.replacing("\\", with: "")
    let items = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    before = Array(items.dropLast())
    parts = (items.last ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
  }

  func completions(_ known: [(id: String, options: [OptionSpec])]) -> [String] {
    let given = parts.dropLast()
    let words = given.isEmpty ? known.map(\.id) : settings(known.first { $0.id == parts[0] }?.options ?? [])
    let start = given.map { $0 + ":" }.joined()
    return words.filter { $0.hasPrefix(parts.last ?? "") }.map { start + $0 }.filter { !before.contains($0) }
      .map { before.map { $0 + "," }.joined() + $0 }
  }

  private func settings(_ options: [OptionSpec]) -> [String] {
    let names = parts.map { part in String(part.prefix { $0 != "=" }) }
    return options.flatMap { option -> [String] in
      names.dropLast().contains(option.name) ? [] : option.completableValues.map { "\(option.name)=\($0)" }
    }
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
