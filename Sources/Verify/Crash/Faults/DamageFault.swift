import Foundation
import StorageContract

/// Damage to one file of a closed store before the store is opened again. No safety level protects against damage.
struct DamageFault: CrashFault {
  static let id = "damage"
  static let summary = "a file of a finished store is cut, changed, emptied or replaced"

  /// The number of cases among which one replaces a file by random bytes.
  private static let casesPerForeign = 20

  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    let store = try FinishedStore(trials)
    let files = CrashStoreFiles.names(in: store.directory).filter { name in
      FileManager.default.contents(atPath: "\(store.directory)/\(name)")?.isEmpty == false
    }
    guard !files.isEmpty else { return [] }
    func damage(_ kind: FileDamage.Kind, _ file: String) -> CrashCase {
      CrashCase(id, kind.rawValue).with("file", escaped(file))
    }
    // A file can be emptied, or replaced by its older version, in only one way.
    var cases = files.flatMap { [damage(.empty, $0), damage(.older, $0)] }
    while cases.count < count {
      let number = cases.count
      let kind: FileDamage.Kind =
        number % casesPerForeign == 0 ? .foreign : number % 2 == 0 ? .truncate : .flip
      cases.append(damage(kind, files[(number / 2) % files.count]).with("seed", random.next() % 1_000_000_007))
    }
    return Array(cases.prefix(count))
  }

  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?] {
    let store = try FinishedStore(trials)
    var findings: [CrashFinding] = []
    for start in stride(from: 0, to: cases.count, by: 200) {
      let some = cases[start..<min(cases.count, start + 200)]
      let stores = try some.map { crashCase in
        StoreToRead(
          directory: store.directory, damage: try damage(crashCase), earlier: store.earlier,
          acknowledged: trials.allSaves)
      }
      findings += zip(some, try trials.read(stores)).map(finding)
      progress(findings.count)
    }
    return findings
  }

  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) -> CrashFinding? { finding }

  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String {
    let store = try FinishedStore(trials)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try CrashStoreFiles.copy(store.directory, over: directory)
    _ = try damage(crashCase).apply(in: directory, earlier: store.earlier)
    return directory
  }

  static func sentence(_ crashCase: CrashCase, _ point: Rehearsal.Point?) -> String {
    "Then the store is closed, and a file of it is damaged by '\(crashCase)'."
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
    var finding = CrashFinding(crashCase: crashCase, verdict: .kept, isBroken: false)
    finding.expected = "an error, or what all saves left"
    finding.call = read.damage.map { "This way, \($0)" } ?? ""
    if let ending = read.ending {
      (finding.verdict, finding.found) = (.crashed, "a process that opens the store dies: \(ending)")
    } else if let error = read.error {
      // Any error counts as reported damage, but it must be a `StoreError`, so that the caller can recognize it.
      (finding.verdict, finding.isBroken) = error.isTyped ? (.lostWithin, false) : (.refused, true)
      finding.found = "an error\(error.isTyped ? "" : " that is no StoreError"): \(error.sentence)"
    } else if read.content != .acknowledged || read.again != nil {
      (finding.verdict, finding.found) = (.unnoticed, read.again ?? read.difference)
    }
    return finding
  }

  // Colons separate the parts of a case, so they are escaped in file names.
  private static func escaped(_ file: String) -> String {
    file.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: ":", with: "%3A")
  }

  private static func unescaped(_ file: String) -> String {
    file.replacingOccurrences(of: "%3A", with: ":").replacingOccurrences(of: "%25", with: "%")
  }
}

/// A store after all saves, and an older version of it after half of the saves. Both are made once, for all cases.
private struct FinishedStore {
  let directory: String
  let earlier: String

  init(_ trials: CrashTrials) throws {
    let saves = trials.allSaves
    func made(_ name: String, _ saves: [Int]) throws -> String {
      let directory = "\(trials.directory)/\(name)"
      let store = ChildDirectories(directory: directory).store
      guard !FileManager.default.fileExists(atPath: directory) else { return store }
      guard try trials.save(saves, nil, in: directory).answer?.failures.isEmpty == true else {
        throw CrashTestError("\(trials.subject.name) fails without any fault")
      }
      return store
    }
    directory = try made("finished", saves)
    earlier = try made("earlier", Array(saves.prefix(saves.count / 2)))
  }
}
