import ArgumentParser
import StorageContract
import StorageTrial

/// The completions that shells offer for a value of an option.
///
/// The program is queried for backends and workloads when a shell asks, so that a user's own ones are included.
extension CompletionKind {
  /// The completion of a list of backends with their options, separated by commas.
  static let backends = specs { Catalog.current.backends.map { ($0.description.id, $0.description.options) } }

  /// The completion of a list of workloads with their options, separated by commas.
  static let workloads = specs { Catalog.current.workloads.map { ($0.description.id, $0.description.options) } }

  /// Returns the completion of a list of words, separated by commas.
  static func words(_ words: [String]) -> CompletionKind {
    .custom { _, _, typed in offered(ListBeingTyped(typed).completions(words.map { ($0, []) })) }
  }

  private static func specs(_ specs: @escaping @Sendable () -> [(String, [OptionSpec])]) -> CompletionKind {
    .custom { _, _, typed in offered(ListBeingTyped(typed).completions(specs())) }
  }

  /// Returns words for the shell. In zsh's lists, a colon separates a word from its description, so colons are escaped.
  private static func offered(_ words: [String]) -> [String] {
    CompletionShell.requesting == .zsh ? words.map { $0.replacing(":", with: "\\:") } : words
  }
}

/// An incomplete list on the command line, such as `plist,sqlite:journal=w`.
struct ListBeingTyped {
  /// The complete items of the list, up to the last comma.
  private let before: [String]
  /// The parts of the last item of the list, split at its colons.
  private let parts: [String]

  /// - Parameter text: The text left of the cursor, as the shell passes it.
  init(_ text: String) {
    // zsh passes the word as it was typed, with escapes.
    let text = text.replacing("\\", with: "")
    let items = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    before = Array(items.dropLast())
    parts = (items.last ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the possible completions of the whole word: ids, and after a colon the remaining options with each of
  /// their values. Items that are already in the list are not offered again.
  ///
  /// - Parameter known: The known ids, with their options.
  func completions(_ known: [(id: String, options: [OptionSpec])]) -> [String] {
    let given = parts.dropLast()
    let words = given.isEmpty ? known.map(\.id) : settings(known.first { $0.id == parts[0] }?.options ?? [])
    let start = given.map { $0 + ":" }.joined()
    return words.filter { $0.hasPrefix(parts.last ?? "") }.map { start + $0 }.filter { !before.contains($0) }
      .map { before.map { $0 + "," }.joined() + $0 }
  }

  /// Returns the remaining options of a backend or workload with their values, such as `journal=wal`.
  private func settings(_ options: [OptionSpec]) -> [String] {
    let names = parts.map { part in String(part.prefix { $0 != "=" }) }
    return options.flatMap { option -> [String] in
      names.dropLast().contains(option.name) ? [] : option.completableValues.map { "\(option.name)=\($0)" }
    }
  }
}

extension OptionSpec {
  /// The values of the option that a shell can list; for a number or a size, the default.
  fileprivate var completableValues: [String] {
    switch values {
    case .choice(let words), .choiceOrNumber(let words): words
    case .number, .size, .percentage: [defaultValue]
    }
  }
}
