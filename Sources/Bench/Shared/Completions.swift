import ArgumentParser
import StorageContract
import StorageTrial

/// What the shells offer where the tab key is pressed on a value.
///
/// Backends and workloads are asked of the program at that moment, so that those of somebody's own are among them.
extension CompletionKind {
  /// Backends with their options, several with commas between.
  static let backends = specs { Catalog.current.backends.map { ($0.description.id, $0.description.options) } }

  /// Workloads, likewise.
  static let workloads = specs { Catalog.current.workloads.map { ($0.description.id, $0.description.options) } }

  /// Words of a list, several with commas between.
  static func words(_ words: [String]) -> CompletionKind {
    .custom { _, _, typed in offered(ListBeingTyped(typed).completions(words.map { ($0, []) })) }
  }

  private static func specs(_ specs: @escaping @Sendable () -> [(String, [OptionSpec])]) -> CompletionKind {
    .custom { _, _, typed in offered(ListBeingTyped(typed).completions(specs())) }
  }

  /// In zsh's lists a colon separates a word from its description.
  private static func offered(_ words: [String]) -> [String] {
    CompletionShell.requesting == .zsh ? words.map { $0.replacing(":", with: "\\:") } : words
  }
}

/// A list that somebody is in the middle of typing: `plist,sqlite:journal=w`.
struct ListBeingTyped {
  /// What is complete, up to the last comma.
  private let before: [String]
  /// What stands behind it, at its colons.
  private let parts: [String]

  /// - Parameter text: What stands left of the cursor, as the shell has it.
  init(_ text: String) {
    // zsh hands the word over as it was typed, with what it had to escape.
    let text = text.replacing("\\", with: "")
    let items = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    before = Array(items.dropLast())
    parts = (items.last ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
  }

  /// The whole word, as it may go on: ids, and behind a colon the options that are not there yet with each of their
  /// values. What is in the list already is not offered again.
  ///
  /// - Parameter known: What there is, with its options.
  func completions(_ known: [(id: String, options: [OptionSpec])]) -> [String] {
    let given = parts.dropLast()
    let words = given.isEmpty ? known.map(\.id) : settings(known.first { $0.id == parts[0] }?.options ?? [])
    let start = given.map { $0 + ":" }.joined()
    return words.filter { $0.hasPrefix(parts.last ?? "") }.map { start + $0 }.filter { !before.contains($0) }
      .map { before.map { $0 + "," }.joined() + $0 }
  }

  /// The options of a backend or workload that are not given yet: `journal=wal`.
  private func settings(_ options: [OptionSpec]) -> [String] {
    let names = parts.map { part in String(part.prefix { $0 != "=" }) }
    return options.flatMap { option -> [String] in
      names.dropLast().contains(option.name) ? [] : option.completableValues.map { "\(option.name)=\($0)" }
    }
  }
}

extension OptionSpec {
  /// The values that can be listed; of a number or a size, the default.
  fileprivate var completableValues: [String] {
    switch values {
    case .choice(let words), .choiceOrNumber(let words): words
    case .number, .size, .percentage: [defaultValue]
    }
  }
}
