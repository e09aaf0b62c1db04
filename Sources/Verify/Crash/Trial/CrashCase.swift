import StorageContract

/// One case of a crash test: a fault and the point at which it occurs. A case can be written as text, by which a user
/// can repeat it. For example, `kill:save=3:call=2:byte=17` kills the process in save 3, in the second call, after 17
/// bytes.
///
/// The text consists of the fault, its kind (if the fault has several kinds) and values. `saves=1+3` means that only
/// these saves of the history are made, `saves=2-5` the second to the fifth.
public struct CrashCase: Hashable, Sendable, Codable, CustomStringConvertible {
  private struct Value: Hashable, Sendable, Codable {
    var name: String
    var text: String
  }

  /// The id of the injected fault, such as `kill`.
  public let fault: String
  /// The kind of the fault, such as `time` in `kill:time:time=5000`, or empty.
  public let kind: String
  private var values: [Value] = []

  init(_ fault: String, _ kind: String = "") {
    self.fault = fault
    self.kind = kind
  }

  /// Parses the text that ``description`` prints.
  ///
  /// - Throws: `UsageError` that names the invalid part.
  public init(parsing text: String) throws {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    fault = parts.removeFirst()
    kind = parts.first?.contains("=") == false ? parts.removeFirst() : ""
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2, Self.names.contains(pair[0]) else {
        throw UsageError("'\(part)' of case '\(text)' is not a known field; copy the case from a report")
      }
      self[pair[0]] = pair[1]
    }
  }

  private static let names = [
    "save", "call", "byte", "room", "time", "file", "seed", "saves", "cut", "missing", "torn", "again", "lost",
    "allocation", "programs", "first", "points", "lock",
  ]

  public var description: String {
    ([fault] + (kind.isEmpty ? [] : [kind]) + values.map { "\($0.name)=\($0.text)" }).joined(separator: ":")
  }

  /// The text of a named value of the case, such as `3` for the name `save`, or nil.
  subscript(name: String) -> String? {
    get { values.first { $0.name == name }?.text }
    set {
      values.removeAll { $0.name == name }
      if let newValue { values.append(Value(name: name, text: newValue)) }
    }
  }

  func with(_ name: String, _ value: some CustomStringConvertible) -> CrashCase {
    var changed = self
    changed[name] = value.description
    return changed
  }

  func number(_ name: String) throws -> Int {
    guard let text = self[name], let number = Int(text), number >= 0 else {
      throw UsageError("case '\(self)' needs a number as its \(name); copy the case from a report")
    }
    return number
  }

  func position() throws -> SavePosition {
    guard let text = self["save"], let position = SavePosition(text) else {
      throw UsageError("case '\(self)' needs save=NUMBER, save=open or save=close; copy the case from a report")
    }
    return position
  }

  func call(_ action: FaultPlan.Action) throws -> PlannedFault {
    .calls(FaultPlan(action: action, call: try number("call")), at: try position())
  }

  /// Returns the numbers of the saves that the case makes: all saves of the history, unless the case has a `saves`
  /// value. Throws `UsageError` if the history lacks one of them.
  func saves(of all: [Int]) throws -> [Int] {
    guard let text = self["saves"] else { return all }
    if text == "none" { return [] }
    let numbers = text.split(separator: "+").flatMap { part in
      let ends = part.split(separator: "-").map { Int($0) ?? 0 }
      return ends.count == 2 && ends[0] < ends[1] && ends[1] <= all.count ? Array(ends[0]...ends[1]) : ends
    }
    guard numbers.allSatisfy(all.contains) else {
      throw UsageError(
        "case '\(self)' names saves beyond the \(all.count) of this test; give the -n of the report that has the case")
    }
    return numbers
  }

  func making(_ saves: [Int]) -> CrashCase { with("saves", saves.isEmpty ? "none" : Self.text(saves)) }

  /// Returns the numbers of saves as text, with a range for three or more consecutive numbers: `1+3-5`.
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
