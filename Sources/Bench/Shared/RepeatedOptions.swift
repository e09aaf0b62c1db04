import StorageContract

/// Options that are given more than once: lists add up, as if commas stood between them; of one value there is one.
///
/// The parser would take the last one in silence, and a gate would judge less than it was asked to.
enum RepeatedOptions {
  /// The short names of options that take a value.
  static let shortNames = [
    "-b": "--backend", "-w": "--workload", "-n": "--records", "-o": "--out", "-f": "--format",
  ]
  /// Options that take a list with commas.
  static let lists: Set<String> = [
    "--backend", "--workload", "--records", "--durability", "--aged", "--memory", "--format", "--fault", "--sequence",
  ]
  /// Options that the parser itself lets be repeated.
  static let repeatable: Set<String> = ["--skip", "--max-increase", "--margin"]
  /// Options without a value, short ones included.
  static let flags: Set<String> = [
    "--update", "--once", "--dry-run", "--keep-stores", "--cost-on-disk", "--quiet", "-q", "--allow-debug",
    "--allow-ram-disk", "--short", "--keep", "--measure", "--markdown", "--json", "--help", "-h", "--version",
    "--help-hidden", "--experimental-dump-help",
  ]

  /// The arguments with every list in one place.
  ///
  /// - Throws: `UsageError` naming an option of one value that is given twice.
  static func joined(_ arguments: [String]) throws -> [String] {
    var joined: [String] = []
    /// By option: its place in the result, its value, and whether both are one argument.
    var seen: [String: (place: Int, value: String, isOne: Bool)] = [:]
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      guard argument != "--" else { return joined + arguments[(index - 1)...] }
      let given = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = given.first.map { shortNames[$0] ?? $0 } ?? ""
      guard argument.hasPrefix("-"), argument.count > 1, !flags.contains(name), !repeatable.contains(name) else {
        joined.append(argument)
        continue
      }
      let value: String
      if given.count == 2 {
        value = given[1]
      } else if index < arguments.count, !arguments[index].hasPrefix("-") {
        value = arguments[index]
        index += 1
      } else {
        // The parser says what is missing.
        joined.append(argument)
        continue
      }
      if let (place, earlier, isOne) = seen[name] {
        if lists.contains(name) {
          let all = earlier + "," + value
          seen[name] = (place, all, isOne)
          if isOne { joined[place] = "\(name)=\(all)" } else { joined[place + 1] = all }
        } else if value != earlier {
          throw UsageError("\(given[0]) is given twice, with '\(earlier)' and '\(value)'; give it once")
        }
      } else {
        seen[name] = (joined.count, value, given.count == 2)
        // As it was written, in one argument or two: what the parser says of it names what was typed.
        joined.append(argument)
        if given.count == 1 { joined.append(value) }
      }
    }
    return joined
  }
}
