import Foundation
import StorageContract

/// Damage to one file of a closed store, which is then opened again. No safety level protects against such damage.
struct DamageFault: CrashFault {
  static let id = "damage"
  static let summary =
    "a file of a closed store is cut, emptied or replaced, has a flipped bit, or has a page that is part new, part old"

  /// The interval of the crash-test cases that replace a whole file by random bytes: every 20th case.
  private static let casesPerForeign = 20
  private static let kinds: [FileDamage.Kind] = [.truncate, .flip, .torn]

  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    let store = try FinishedStore(trials)
    let files = store.files
    guard !files.isEmpty else { return [] }
    let tearable = Set(files.filter { !store.version(of: $0).tears($0).isEmpty })
    func damage(_ kind: FileDamage.Kind, _ file: String) -> CrashCase {
      CrashCase(id, kind.rawValue).with("file", escaped(file))
    }
    // A file can be emptied, or replaced by its older version, in only one way.
    var cases = files.flatMap { [damage(.empty, $0), damage(.older, $0)] }
    while cases.count < count {
      let number = cases.count
      let file = files[(number / kinds.count) % files.count]
      let drawn = number % casesPerForeign == 0 ? .foreign : kinds[number % kinds.count]
      let kind = drawn == .torn && !tearable.contains(file) ? .flip : drawn
      cases.append(damage(kind, file).with("seed", random.next() % 1_000_000_007))
    }
    return Array(cases.prefix(count))
  }

  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?] {
    let store = try FinishedStore(trials)
    var findings: [CrashFinding] = []
    for start in stride(from: 0, to: cases.count, by: 200) {
      let some = cases[start..<min(cases.count, start + 200)]
      let stores = try some.map { crashCase in
        let damage = try damage(crashCase)
        let version = store.version(of: damage.file)
        return StoreToRead(
          directory: version.directory, damage: damage, earlier: version.earlier, acknowledged: trials.allSaves)
      }
      findings += zip(some, try trials.read(stores)).map(finding)
      progress(findings.count)
    }
    return findings
  }

  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) -> CrashFinding? { finding }

  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String {
    let damage = try damage(crashCase)
    let store = try FinishedStore(trials).version(of: damage.file)
    try DirectoryFiles.replace(directory, by: store.directory)
    _ = try damage.apply(in: directory, earlier: store.earlier)
    return directory
  }

  /// Returns the kind of damage and the kind of file, such as `flip data` for a flipped bit in a data file.
  static func variant(_ crashCase: CrashCase) -> String {
    guard let damage = try? damage(crashCase) else { return "" }
    return "\(damage.kind.rawValue) \(damage.part)"
  }

  static func sentence(_ crashCase: CrashCase, _ point: Rehearsal.Point?) -> String {
    "Then the store is closed (its process is killed if closing would remove the file), and '\(crashCase)' damages it."
  }

  private static func damage(_ crashCase: CrashCase) throws -> FileDamage {
    guard let kind = FileDamage.Kind(rawValue: crashCase.kind), let file = crashCase["file"] else {
      let kinds = FileDamage.Kind.allCases.map(\.rawValue)
      throw UsageError(Nearest.sentence("damage", crashCase.kind, of: "case '\(crashCase)'", among: kinds))
    }
    let seed = crashCase["seed"] == nil ? 0 : UInt64(try crashCase.number("seed"))
    return FileDamage(kind: kind, file: unescaped(file), seed: seed)
  }

  private static func finding(_ crashCase: CrashCase, _ read: StoreRead) -> CrashFinding {
    var finding = CrashFinding(crashCase: crashCase, expected: "an error, or what all saves left")
    finding.call = read.damage.map { "This way, \($0)" } ?? ""
    if let ending = read.ending {
      (finding.verdict, finding.found) = (.crashed, "a process that opens the store dies: \(ending)")
    } else if let error = read.error {
      // Any error counts as reported damage, but must be a `StoreError`, so that the caller can recognize the error.
      (finding.verdict, finding.isBroken) = error.isTyped ? (.lostWithin, false) : (.refused, true)
      finding.found = "an error\(error.isTyped ? "" : " that is not a StoreError"): \(error.sentence)"
    } else if read.content != .acknowledged || read.again != nil {
      (finding.verdict, finding.found) = (.unnoticed, read.again ?? read.difference)
    }
    return finding
  }

  // Colons separate the parts of a crash-test case's name, so colons in file names are escaped.
  private static func escaped(_ file: String) -> String {
    file.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: ":", with: "%3A")
  }

  private static func unescaped(_ file: String) -> String {
    file.replacingOccurrences(of: "%3A", with: ":").replacingOccurrences(of: "%25", with: "%")
  }
}

/// A store after all saves of a crash test, to be damaged. Two copies exist: one was closed normally, the other was
/// left open by a killed process.
private struct FinishedStore {
  /// One copy of the store. `directory` contains the files after all saves, and `earlier` contains the files after half
  /// of the saves.
  struct Version {
    let directory: String
    let earlier: String
    /// The names of the store's files that are not empty.
    let files: [String]

    init(_ directory: String, earlier: String) {
      (self.directory, self.earlier) = (directory, earlier)
      files = DirectoryFiles.names(in: directory).filter { !FileDamage.bytes($0, in: directory).isEmpty }
    }

    func tears(_ file: String) -> [Int] {
      FileDamage.tears(FileDamage.bytes(file, in: directory), FileDamage.bytes(file, in: earlier))
    }
  }

  /// The copy that was closed and, unless saves are missing in it, the copy that a killed process left open.
  private let versions: [Version]

  var files: [String] { versions.flatMap(\.files).unique }

  /// Returns the copy in which to damage `file`: the one that was closed, if it contains the file.
  func version(of file: String) -> Version { versions.first { $0.files.contains(file) } ?? versions[0] }

  init(_ trials: CrashTrials) throws {
    let saves = trials.allSaves
    func made(_ name: String, _ saves: [Int], _ fault: PlannedFault? = nil) throws -> String {
      let directory = "\(trials.directory)/\(name)"
      let store = ChildDirectories(directory: directory).store
      guard !FileManager.default.fileExists(atPath: directory) else { return store }
      let outcome = try trials.save(saves, fault, in: directory)
      if !outcome.isKilled { try trials.checkSaves(outcome) }
      return store
    }
    let half = Array(saves.prefix(saves.count / 2))
    let closed = Version(try made("finished", saves), earlier: try made("earlier", half))
    let kill = PlannedFault.call(1, .kill(bytes: 0), at: .closing)
    let open = Version(try made("finished-open", saves, kill), earlier: try made("earlier-open", half, kill))
    let read = try trials.read([StoreToRead(directory: open.directory, acknowledged: saves)])[0]
    versions = read.content == .acknowledged ? [closed, open] : [closed]
  }
}
