import StorageContract

/// A crash-test case with one or two power cuts, such as `power:strict:saves=2:cut=7`: disk model `strict`, save 2,
/// power cut after 7 logged changes and syncs.
struct PowerCase {
  var model: DiskModel
  var saves: [Int]
  var first: NamedCut
  /// The power cut while the store is opened again. `again=4:lost=2` means: after 4 steps of the opening, without the
  /// change of step 2.
  var second: NamedCut?

  static let fault = "power"

  init(_ log: DiskLog, _ saves: [Int], _ state: CutState) {
    (model, self.saves, first) = (log.model, saves, NamedCut(log, state))
  }

  init(_ crashCase: CrashCase, of all: [Int]) throws {
    model = try crashCase.kind("model", of: "case '\(crashCase)'")
    saves = try crashCase.saves(of: all)
    first = try NamedCut(crashCase)
    if crashCase["again"] != nil {
      second = NamedCut(cut: try crashCase.number("again"), missing: NamedCut.list(crashCase["lost"]))
    }
  }

  var crashCase: CrashCase {
    let once = first.added(to: CrashCase(Self.fault, model.rawValue).making(saves))
    return second?.added(to: once, as: "again", missing: "lost") ?? once
  }
}

/// A name for the state of a disk after a power cut. `cut=7:missing=3` means: the power fails after 7 steps (changes
/// and syncs), and the change of step 3 is lost.
struct NamedCut: Hashable, Codable {
  struct Torn: Hashable, Codable {
    var change: String
    var kept: Range<Int>
  }

  /// The number of steps in the log of system calls before the power cut. A step is a change of the disk or a sync.
  var cut: Int
  /// The names of the changes that the power cut lost. `3` is a change in step 3 of the log of system calls, whose
  /// first step is 0. `5s` is the growth of a file in step 5.
  var missing: [String] = []
  /// A write of which only a part reached the disk. `torn=5@0-512` means: bytes 0 to 511 of the write of step 5.
  var torn: Torn?

  init(cut: Int, missing: [String]) { (self.cut, self.missing) = (cut, missing) }

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

  func added(to crashCase: CrashCase, as field: String = "cut", missing missingField: String = "missing") -> CrashCase {
    var crashCase = crashCase.with(field, cut)
    if !missing.isEmpty { crashCase = crashCase.with(missingField, missing.joined(separator: "+")) }
    if let torn { crashCase = crashCase.with("torn", "\(torn.change)@\(torn.kept.lowerBound)-\(torn.kept.upperBound)") }
    return crashCase
  }

  /// Returns the disk state that this name stands for. Throws `UsageError` if the state does not exist in `log`. The
  /// error message names `crashCase`.
  func state(in log: DiskLog, of crashCase: CrashCase) throws -> CutState {
    let pending = log.pending(at: cut)
    let other = UsageError(
      "case '\(crashCase)' does not occur here: this engine or file system makes other calls; use the system of the report"
    )
    func changeIndex(_ name: String) throws -> Int {
      guard let index = pending.first(where: { log.changes[$0].name == name }) else { throw other }
      return index
    }
    guard (0...log.steps.count).contains(cut) else { throw other }
    let part = try torn.map { (change: try changeIndex($0.change), kept: $0.kept) }
    if let part, part.kept.upperBound > log.changes[part.change].written?.count ?? 0 { throw other }
    return CutState(cut: cut, missing: try missing.map(changeIndex), torn: part)
  }

  static func list(_ text: String?) -> [String] { (text ?? "").split(separator: "+").map(String.init) }
}
