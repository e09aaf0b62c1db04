import StorageContract

/// A power cut as a case of a crash test, written as text such as `power:strict:saves=2:cut=7:missing=3+5s`.
///
/// - `strict`: the disk model, which is a set of rules for the losses by a power cut.
/// - `saves=2`: the log has the system calls of opening the store, making save 2 and closing the store. Save 1 is
///   already on the disk. With `saves=1`, the log begins with an empty directory.
/// - `cut=7`: the power fails after 7 steps of the log. A step is a change of the disk or a sync.
/// - `missing=3+5s`: the disk lacks the change of step 3, and the file length that step 5 set.
/// - `torn=5@0-512`: only the first 512 bytes of the write of step 5 reached the disk.
/// - `again=4:lost=2`: the power fails a second time, after 4 steps of opening the store again. The disk lacks the
///   change of step 2 of this opening.
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

  /// Returns the disk state that the first power cut of this case leaves. Throws `UsageError` if `log` lacks the steps
  /// or changes that the case names.
  func state(in log: DiskLog) throws -> CutState { try first.state(in: log, of: crashCase) }

  /// Returns the disk state that the second power cut of this case leaves. `log` has the system calls of opening the
  /// store after the first power cut.
  func secondState(in log: DiskLog) throws -> CutState {
    try (second ?? NamedCut(cut: 0)).state(in: log, of: crashCase)
  }
}

/// The name of a disk state after a power cut, such as `cut=7:missing=3+5s`. In this example, the power fails after 7
/// steps (changes of files and syncs), and the disk lacks the change of step 3 (`3`) and the file length that step 5
/// set (`5s`).
struct NamedCut: Hashable, Codable {
  struct Torn: Hashable, Codable {
    var change: String
    var kept: Range<Int>
  }

  /// The number of steps in the log of system calls before the power cut. A step is a change of the disk or a sync.
  var cut: Int
  /// The names of the changes to files that a power cut lost. For example, `3` is the change of step 3 in the log of
  /// system calls, and `5s` is the file length that step 5 set.
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

  /// Returns the disk state with this name. For the name `cut=7:missing=3`, the power failed after 7 steps of `log`,
  /// and the change of step 3 was lost. Throws `UsageError`, with the text of `crashCase`, if `log` has no such step or
  /// change.
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
