import StorageContract

/// One case of a crash test, by the text that repeats it: `kill:save=3:call=2:byte=17`.
///
/// It begins with the fault, then what kind of it where there are several, then values. `saves=1+3` says that of the
/// history only these saves are made, `saves=2-5` the second to the fifth.
public struct CrashCase: Hashable, Sendable, Codable, CustomStringConvertible {
  private struct Value: Hashable, Sendable, Codable {
    var name: String
    var text: String
  }

  /// The fault's id.
  public let fault: String
  /// Which kind of the fault, or empty.
  public let kind: String
  private var values: [Value] = []

  init(_ fault: String, _ kind: String = "") {
    self.fault = fault
    self.kind = kind
  }

  /// Reads what ``description`` prints.
  ///
  /// - Throws: `UsageError` naming the part that is no case's.
  public init(parsing text: String) throws {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    fault = parts.removeFirst()
    kind = parts.first?.contains("=") == false ? parts.removeFirst() : ""
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2, Self.names.contains(pair[0]) else {
        throw UsageError("'\(part)' of case '\(text)' is none of its parts; copy the case from a report")
      }
      self[pair[0]] = pair[1]
    }
  }

  /// The values that there are.
  private static let names = [
    "save", "call", "byte", "room", "time", "file", "seed", "saves", "cut", "missing", "torn", "again", "lost",
  ]

  public var description: String {
    ([fault] + (kind.isEmpty ? [] : [kind]) + values.map { "\($0.name)=\($0.text)" }).joined(separator: ":")
  }

  /// A value as text.
  subscript(name: String) -> String? {
    get { values.first { $0.name == name }?.text }
    set {
      values.removeAll { $0.name == name }
      if let newValue { values.append(Value(name: name, text: newValue)) }
    }
  }

  /// The same with another value.
  func with(_ name: String, _ value: some CustomStringConvertible) -> CrashCase {
    var changed = self
    changed[name] = value.description
    return changed
  }

  /// A value that is a number from 0 on.
  ///
  /// - Throws: `UsageError` where it is missing or none.
  func number(_ name: String) throws -> Int {
    guard let text = self[name], let number = Int(text), number >= 0 else {
      throw UsageError("case '\(self)' needs a number as its \(name); copy the case from a report")
    }
    return number
  }

  /// Where the fault begins.
  ///
  /// - Throws: `UsageError` where it is missing or none.
  func place() throws -> SavePlace {
    guard let text = self["save"], let place = SavePlace(text) else {
      throw UsageError("case '\(self)' needs save=NUMBER, save=open or save=close; copy the case from a report")
    }
    return place
  }

  /// The saves that are made.
  ///
  /// - Parameter all: The numbers of the history's saves, all of which are made unless the case says otherwise.
  /// - Throws: `UsageError` if one of them is none of the history's.
  func saves(of all: [Int]) throws -> [Int] {
    guard let text = self["saves"] else { return all }
    if text == "none" { return [] }
    let numbers = text.split(separator: "+").flatMap { part in
      let ends = part.split(separator: "-").map { Int($0) ?? 0 }
      return ends.count == 2 && ends[0] < ends[1] && ends[1] <= all.count ? Array(ends[0]...ends[1]) : ends
    }
    guard numbers.allSatisfy(all.contains) else {
      throw UsageError("case '\(self)' makes saves that are none of the \(all.count) of this history; use the same -n")
    }
    return numbers
  }

  /// The same where only some saves are made.
  func making(_ saves: [Int]) -> CrashCase {
    with("saves", saves.isEmpty ? "none" : Self.text(saves))
  }

  /// Numbers with a range in place of three and more in a row: `1+3-5`.
  private static func text(_ saves: [Int]) -> String {
    var runs: [ClosedRange<Int>] = []
    for save in saves {
      if let last = runs.last, last.upperBound == save - 1 {
        runs[runs.count - 1] = last.lowerBound...save
      } else {
        runs.append(save...save)
      }
    }
    return runs.flatMap { run in
      run.count > 2 ? ["\(run.lowerBound)-\(run.upperBound)"] : run.map { "\($0)" }
    }.joined(separator: "+")
  }
}
