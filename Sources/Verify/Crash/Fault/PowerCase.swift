import StorageContract

/// A power cut as a case, such as `power:strict:saves=2:cut=7:missing=3+5s`: disk model, saves, steps before the cut,
/// lost changes. `torn` names a partly written change, `again` and `lost` a second cut.
struct PowerCase {
  var model: DiskModel
  var saves: [Int]
  var first: NamedCut
  var second: NamedCut?

  static let fault = "power"

  init(_ log: DiskLog, _ saves: [Int], _ state: CutState) {
    (model, self.saves, first) = (log.model, saves, NamedCut(log, state))
  }

  init(_ crashCase: CrashCase, of all: [Int]) throws {
    guard let model = DiskModel(rawValue: crashCase.kind) else {
      let models = DiskModel.allCases.map(\.rawValue)
      throw UsageError(Nearest.sentence("model", crashCase.kind, of: "case '\(crashCase)'", among: models))
    }
    self.model = model
    saves = try crashCase.saves(of: all)
    first = try NamedCut(crashCase)
    if crashCase["again"] != nil {
      second = NamedCut(cut: try crashCase.number("again"), missing: NamedCut.list(crashCase["lost"]))
    }
  }

  var crashCase: CrashCase {
    var crashCase = first.added(to: CrashCase(Self.fault, model.rawValue).making(saves))
    if let second {
      crashCase = crashCase.with("again", second.cut)
      if !second.missing.isEmpty { crashCase = crashCase.with("lost", second.missing.joined(separator: "+")) }
    }
    return crashCase
  }

  /// Returns the disk state after the first power cut. Throws `UsageError` if `log` lacks the steps or changes of this
  /// case.
  func state(in log: DiskLog) throws -> CutState { try first.state(in: log, of: crashCase) }

  /// Returns the disk state after the second power cut. `log` has the system calls of opening the store after the first
  /// cut.
  func secondState(in log: DiskLog) throws -> CutState {
    try (second ?? NamedCut(cut: 0)).state(in: log, of: crashCase)
  }
}

/// The name of a disk state. `cut=7:missing=3+5s`: power cut after 7 steps, without the change of step 3 and the file
/// length set by step 5.
struct NamedCut: Hashable, Codable {
  struct Torn: Hashable, Codable {
    var change: String
    var kept: Range<Int>
  }

  /// The number of steps in the log of system calls before the power cut. A step is a change of the disk or a sync.
  var cut: Int
  /// The changes that the power cut lost: `3` is the change of step 3 in the log of system calls, `5s` the file length
  /// set by step 5.
  var missing: [String] = []
  var torn: Torn?

  init(cut: Int, missing: [String] = []) { (self.cut, self.missing) = (cut, missing) }

  init(_ log: DiskLog, _ state: CutState) {
    cut = state.cut
    missing = state.missing.map { log.changes[$0].name }
    torn = state.torn.map { Torn(change: log.changes[$0.change].name, kept: $0.kept) }
  }

  init(_ crashCase: CrashCase) throws {
    cut = try crashCase.number("cut")
    missing = Self.list(crashCase["missing"])
    guard let text = crashCase["torn"] else { return }
    let parts = text.split(whereSeparator: { "@-".contains($0) })
    guard parts.count == 3, let start = Int(parts[1]), let end = Int(parts[2]), start <= end else {
      throw UsageError(
        "'torn=\(text)' of case '\(crashCase)' is not a valid share of a write; copy the case from a report")
    }
    torn = Torn(change: String(parts[0]), kept: start..<end)
  }

  func added(to crashCase: CrashCase) -> CrashCase {
    var crashCase = crashCase.with("cut", cut)
    if !missing.isEmpty { crashCase = crashCase.with("missing", missing.joined(separator: "+")) }
    if let torn { crashCase = crashCase.with("torn", "\(torn.change)@\(torn.kept.lowerBound)-\(torn.kept.upperBound)") }
    return crashCase
  }

  /// Returns the disk state with this name. Throws `UsageError`, with the text of `crashCase`, if `log` has no such
  /// step or change.
  func state(in log: DiskLog, of crashCase: CrashCase) throws -> CutState {
    let pending = log.pending(at: cut)
    func changeIndex(_ name: String) throws -> Int {
      guard let index = pending.first(where: { log.changes[$0].name == name }) else { throw other() }
      return index
    }
    func other() -> UsageError {
      UsageError(
        "case '\(crashCase)' does not occur here: this engine or file system makes other calls; use the system of the report"
      )
    }
    guard (0...log.steps.count).contains(cut) else { throw other() }
    let part = try torn.map { (change: try changeIndex($0.change), kept: $0.kept) }
    if let part, part.kept.upperBound > log.changes[part.change].written?.count ?? 0 { throw other() }
    return CutState(cut: cut, missing: try missing.map(changeIndex), torn: part)
  }

  static func list(_ text: String?) -> [String] { (text ?? "").split(separator: "+").map(String.init) }
}
