import Foundation
import StorageContract

/// One case of a crash test: a fault and the point at which the fault occurs. `kill:save=3:call=2` kills the process at
/// the second system call of save 3.
public struct CrashCase: Hashable, Sendable, Codable, CustomStringConvertible {
  private struct Value: Hashable, Sendable, Codable {
    var name: String
    var text: String
  }

  /// The id of the injected fault, such as `kill`.
  public let fault: String
  /// The kind of the fault, such as `strict` in the crash-test case `power:strict:cut=7`. Empty if the case has no such
  /// word.
  public let kind: String
  private var values: [Value] = []

  init(_ fault: String, _ kind: String = "") {
    self.fault = fault
    self.kind = kind
  }

  /// Creates a crash-test case from its text: `kill:save=3:call=2` kills the process at the second system call of save
  /// 3.
  ///
  /// - Throws: `UsageError` that names the invalid part of the text.
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

  /// The value of a field of the crash-test case. In `kill:save=3:call=2`, the field `save` has the value `3`. Nil if
  /// the case lacks the field.
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

  /// Returns ``kind`` as a value of an enumeration. Throws `UsageError`, with `what` and `owner`, for an unknown kind.
  func kind<Kind: CaseIterable & RawRepresentable<String>>(_ what: String, of owner: String) throws -> Kind {
    if let known = Kind(rawValue: kind) { return known }
    let kinds = Kind.allCases.map(\.rawValue).filter { !$0.isEmpty }
    throw UsageError(Nearest.sentence(what, kind, of: owner, among: kinds))
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

  func call(_ action: PlannedFault.Action) throws -> PlannedFault {
    .call(try number("call"), action, at: try position())
  }

  /// Returns the saves that the crash-test case makes: 1 and 3 for `saves=1+3`, or `all` if the case has no field
  /// `saves`. Throws `UsageError` for a save that is not in `all`.
  func saves(of all: [Int]) throws -> [Int] {
    guard let text = self["saves"] else { return all }
    if text == "none" { return [] }
    let numbers = text.split(separator: "+").flatMap { part in
      let ends = part.split(separator: "-").map { Int($0) ?? 0 }
      return ends.count == 2 && ends[0] < ends[1] && ends[1] <= all.count ? Array(ends[0]...ends[1]) : ends
    }
    guard numbers.allSatisfy(all.contains) else {
      throw UsageError(
        "case '\(self)' names saves beyond the \(all.count) of this test; "
          + "give the options of the command in the report that has the case")
    }
    return numbers
  }

  func making(_ saves: [Int]) -> CrashCase { with("saves", saves.isEmpty ? "none" : Self.text(saves)) }

  /// Returns save numbers as text, such as `1+3-5` for the saves 1, 3, 4 and 5.
  private static func text(_ saves: [Int]) -> String {
    IndexSet(saves).rangeView.flatMap { run in
      run.count > 2 ? ["\(run.lowerBound)-\(run.upperBound - 1)"] : run.map { "\($0)" }
    }.joined(separator: "+")
  }
}
