import Foundation
import StorageBackends
import StorageContract
import TestSupport
import Testing

@testable import MisbehavingBench
@testable import StorageVerify

/// One line of `Tests/Fixtures/crash-cases.txt`: a case of a crash test that once failed, and its expected verdict.
struct CorpusLine: Sendable, CustomTestStringConvertible {
  let number: Int
  let backend: any StorageBackend.Type
  let options: Options
  let durability: Durability
  let library: String
  let verdict: CrashVerdict
  let isBroken: Bool
  let crashCase: CrashCase

  private static let backends: [any StorageBackend.Type] =
    Backends.all + Misbehaving.all
    + [
      Careful.self, LocksLate.self, LocksByFile.self, BreaksLocks.self, StaysLocked.self, SavesPiecemeal.self,
      IgnoresReaders.self,
    ]

  static func all(_ text: String) throws -> [CorpusLine] {
    try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.element.isEmpty && !$0.element.hasPrefix("#") }
      .map { try CorpusLine(number: $0.offset + 1, String($0.element)) }
  }

  init(number: Int, _ text: String) throws {
    let fields = text.split(separator: "|", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let spec = fields[0].split(separator: ":").map(String.init)
    let verdict = fields.count == 5 ? fields[3].components(separatedBy: ", ") : []
    guard fields.count == 5, let backend = Self.backends.first(where: { $0.description.id == spec.first }),
      let durability = Durability(rawValue: fields[1]), verdict.count == 2,
      let expected = CrashVerdict(rawValue: verdict[0]), ["broken", "allowed"].contains(verdict[1])
    else { throw UsageError("line \(number), '\(text)', has no five valid fields; the first lines name them") }
    self.number = number
    self.backend = backend
    options = try Options(
      parsing: Array(spec.dropFirst()), specs: backend.description.options, owner: backend.description.id)
    self.durability = durability
    library = fields[2]
    self.verdict = expected
    isBroken = verdict[1] == "broken"
    crashCase = try CrashCase(parsing: fields[4])
  }

  /// Whether the library of the line is not installed.
  var isMissing: Bool { backend.description.missing(for: options) != nil }

  /// Repeats the case. Returns a sentence if its verdict is not the expected one, otherwise nil.
  func complaint() throws -> String? {
    let engine = backend.description.engineVersion(for: options)
    let result: CrashResult
    do {
      let test = try CrashTest(
        backend, options: options, durability: durability, history: SaveHistory(records: 20, count: 201),
        directory: RAMDisk.path, only: crashCase)
      result = try test.results()[0]
    } catch let error as UsageError {
      return "\(location) failed in \(library) and cannot be repeated in \(engine): \(error)"
    }
    if library.hasSuffix(", known defect"), !hasKnownDefect {
      return result.isBroken ? "\(location) fails in \(engine), which does not have the known defect: \(result)" : nil
    }
    guard result.tally[verdict] > 0, result.isBroken == isBroken else {
      let found = result.tally.verdicts.keys.map(\.rawValue).sorted().joined(separator: ", ")
      return """
        \(location) does not fail any more as it did in \(library): \
        expected \(Self.words(verdict.rawValue, isBroken)), found \(Self.words(found, result.isBroken)) in \(engine). \
        If the library has been repaired, remove the line; else crashtest has lost a failure that it found.
        """
    }
    return nil
  }

  private var hasKnownDefect: Bool {
    let loaded = backend.description.loaded(options)
    return (loaded == nil ? backend.description.knownDefect : loaded?.knownDefect) != nil
  }

  private static func words(_ verdict: String, _ isBroken: Bool) -> String {
    "\(verdict), \(isBroken ? "broken" : "allowed")"
  }

  var testDescription: String { "\(backend.description.id) \(durability.rawValue) \(crashCase)" }
  private var location: String { "crash-cases.txt, line \(number), \(testDescription)," }
}

@Suite struct CrashCorpusTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Fixtures/crash-cases.txt")

  private static func corpus() throws -> [CorpusLine] {
    try CorpusLine.all(String(contentsOf: file, encoding: .utf8))
  }

  /// A file that cannot be read has no lines here; another test throws its error.
  @Test(arguments: (try? corpus()) ?? []) func `a case that once failed fails again`(_ line: CorpusLine) throws {
    if !line.isMissing, let complaint = try line.complaint() { Issue.record("\(complaint)") }
  }

  @Test func `a line that does not fail is reported`() throws {
    let text = """
      careful | shipped | planted | torn, broken | kill:save=2:call=1:saves=1+2
      writes-in-place | shipped | planted | torn, allowed | kill:save=8:byte=781:saves=7+8:call=2
      writes-in-place | shipped | planted | torn, broken | kill:save=8:byte=781:saves=7+8:call=2
      writes-in-place | shipped | planted, known defect | torn, broken | kill:save=8:byte=781:saves=7+8:call=2
      writes-in-place | shipped | planted | torn, broken | kill:save=8:call=99
      """
    let complaints = try CorpusLine.all(text).map { try $0.complaint() }
    #expect(
      complaints[0]?.contains("expected torn, broken, found kept, allowed in none. If the") == true, "\(complaints)")
    #expect(complaints[1] != nil && complaints[2] == nil, "\(complaints)")
    #expect(complaints[3]?.contains("which does not have the known defect") == true, "\(complaints)")
    #expect(complaints[4]?.contains("cannot be repeated in none: --only") == true, "\(complaints)")
  }

  @Test(arguments: [
    "sqlit | shipped | SQLite | torn, broken | kill:save=1:call=1",
    "sqlite | shipped | torn, broken | kill:save=1:call=1",
    "sqlite | often | SQLite | torn, broken | kill:save=1:call=1",
    "sqlite | shipped | SQLite | torn | kill:save=1:call=1",
    "sqlite | shipped | SQLite | worn, broken | kill:save=1:call=1",
    "sqlite | shipped | SQLite | torn, broken | kill:x=1",
  ])
  func `a line that cannot be read is refused`(_ text: String) {
    #expect(throws: UsageError.self) { try CorpusLine.all("# A comment\n\n\(text)") }
  }

  @Test func `every planted fault and every fault of the crash test has a line`() throws {
    let lines = try Self.corpus()
    let backends = Set(lines.map { $0.backend.description.id })
    #expect(backends.isSuperset(of: Misbehaving.foundByCrashes.map { $0.backend.description.id }))
    #expect(backends.contains(SkipsFirstSync.description.id))
    // A damaged file is no failure of a store.
    #expect(Set(lines.map(\.crashCase.fault)) == Set(CrashFaults.all.map(\.id)).subtracting(["damage"]))
  }
}
