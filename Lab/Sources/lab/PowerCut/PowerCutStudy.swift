import Foundation
import StorageBackends
import StorageContract
import StorageVerify

/// The tests of every backend and level on every file system, and of the plain calls for the table in the
/// documentation.
struct PowerCutStudy {
  private let commits: Int
  private let kinds: [DiskKind]
  private let directory: String

  /// - Parameter arguments: A working directory, the number of cuts and a file system. The last two are optional.
  init(_ arguments: [String]) throws {
    guard let directory = arguments.first, arguments.count <= 3 else {
      throw UsageError("give the number of cuts and a file system, or less")
    }
    let rest = Array(arguments.dropFirst())
    guard let commits = Int(rest.first ?? "50"), (1...1_000).contains(commits) else {
      throw UsageError("'\(rest[0])' is no number of cuts from 1 to 1000")
    }
    let all = DiskKind.all.map(\.name)
    if rest.count == 2, !all.contains(rest[1]) {
      throw UsageError("unknown file system '\(rest[1])'; there are \(all.joined(separator: ", "))")
    }
    (self.directory, self.commits) = (directory, commits)
    kinds = DiskKind.all.filter { rest.count < 2 || $0.name == rest[1] }
  }

  /// Runs the tests and prints the tables.
  ///
  /// - Returns: Whether the models allow every state and no promise is broken.
  func run() throws -> Bool {
    var (outside, broken, cutsMade) = (0, 0, 0)
    print("| file system | what was done | left | model |\n| --- | --- | --- | --- |")
    for kind in kinds {
      for row in PlainCalls.rows {
        let (left, models) = try PlainCalls.left(row, kind, in: directory)
        let isOutside = kind.isOutside(models)
        if isOutside { outside += 1 }
        let words = (isOutside ? ["OUTSIDE"] : []) + models
        print("| \(kind.name) | \(row.name) | \(left) | \(words.joined(separator: ", ")) |")
      }
    }
    print(
      "\n| file system | backend | asked | level | cuts | kept | lost the last saves | torn or unreadable "
        + CutWitness.models.map { "| \($0) allows " }.joined() + "|\n| --- | --- | --- | --- | --: | --: | --: | --: "
        + CutWitness.models.map { _ in "| --: " }.joined() + "|")
    for kind in kinds {
      for subject in try Self.subjects() {
        let cuts = StoreCuts(subject, commits, kind, directory)
        try tell(cuts.copied(), kind.name)
        // An alternative to copying: the file system is shut down and discards the data in memory.
        if kind.canShutDown { try tell(cuts.shutDown(after: 1 + commits / 2), "\(kind.name), shut down") }
      }
    }
    print("\n\(outside == 0 ? "None" : "\(outside)") of what was left in \(cutsMade) cuts is outside of the models.")
    return outside + broken == 0

    func tell(_ cuts: StoreCuts.Result, _ how: String) {
      outside += cuts.outside
      cutsMade += cuts.made
      broken += cuts.broken
      print("| \(how) | \(cuts.row) |")
      cuts.remarks.forEach { print("|  | \($0) |" + String(repeating: " |", count: 6 + CutWitness.models.count)) }
    }
  }

  /// Returns the seven backends at each of their levels, and the settings of SQLite that were tested by hand earlier.
  private static func subjects() throws -> [Subject] {
    let names = ["plist", "archive", "defaults", "sqlite", "sqlite-queue", "object-graph", "lmdb"]
    var subjects: [Subject] = []
    for name in names {
      var seen: Set<Level> = []
      for durability in Durability.allCases {
        let subject = try Subject([name, "", durability.rawValue])
        if let level = subject.level, seen.insert(level).inserted { subjects.append(subject) }
      }
    }
    return try subjects + [Subject(["sqlite", "", "intact"]), Subject(["sqlite", "journal=delete", "durable"])]
  }
}

/// One backend at one level on one file system, with a cut after each acknowledged save.
private struct StoreCuts {
  private let subject: Subject
  private let commits: Int
  private let kind: DiskKind
  private let directory: String

  struct Result {
    var row = ""
    var made = 0
    var outside = 0
    var broken = 0
    var remarks: [String] = []
  }

  init(_ subject: Subject, _ commits: Int, _ kind: DiskKind, _ directory: String) {
    (self.subject, self.commits, self.kind, self.directory) = (subject, commits, kind, directory)
  }

  private var log: String { "\(directory)/calls" }
  private func image(_ number: Int) -> String { "\(directory)/cut-\(number)" }

  /// Copies the image after each acknowledged save.
  func copied() throws -> Result {
    let disk = try Disk(kind, in: directory)
    defer { disk.end() }
    let (saver, base) = try begin(disk)
    for number in 1...commits {
      try saver.expect("\(number)")
      try disk.copy(to: image(number))
      saver.goOn()
    }
    try saver.expect("done")
    saver.goOn()
    saver.end()
    return try look(CutWitness(base: base, log: CallLog(log)), Array(1...commits))
  }

  /// Shuts the file system down after one acknowledged save, by the ioctl that ext4 and xfs have for tests.
  func shutDown(after number: Int) throws -> Result {
    let disk = try Disk(kind, in: directory)
    defer { disk.end() }
    let (saver, base) = try begin(disk)
    for earlier in 1..<number {
      try saver.expect("\(earlier)")
      saver.goOn()
    }
    try saver.expect("\(number)")
    try command("xfs_io", "-x", "-c", "shutdown", disk.mount)
    saver.kill()
    unmount(disk.mount)
    try disk.copy(to: image(number))
    return try look(CutWitness(base: base, log: CallLog(log, mayBeCut: true)), [number])
  }

  private func begin(_ disk: Disk) throws -> (Talk, ReplayedFiles) {
    let store = "\(disk.mount)/store"
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
    let saver = try Talk(subject.words.prefix(3) + [store, log, "\(commits)"], "save", configuration: store)
    try saver.expect("ready")
    try command("sync")
    let base = try ReplayedFiles(readingFrom: store)
    saver.goOn()
    return (saver, base)
  }

  private func look(_ witness: CutWitness, _ numbers: [Int]) throws -> Result {
    var result = Result(made: numbers.count)
    var (kept, lost, bad) = (0, 0, 0)
    var allowed: [String: Int] = [:]
    for number in numbers {
      let image = image(number)
      defer { try? FileManager.default.removeItem(atPath: image) }
      try mounted(image, kind, on: "\(directory)/left") {
        let store = "\(directory)/left/store"
        let explanations = witness.explanations(of: try ReplayedFiles(readingFrom: store), afterSaves: number)
        for model in explanations.keys { allowed[model, default: 0] += 1 }
        if kind.isOutside(Array(explanations.keys)) {
          result.outside += 1
          result.remarks.append("OUTSIDE after save \(number)")
        }
        let said = try Talk(subject.words.prefix(3) + [store, "\(commits)"], "read", configuration: store).last()
        let saves = said.hasPrefix("saves ") ? Int(said.dropFirst(6)) : nil
        switch saves {
        case let saves? where saves > number: kept += 1
        case 0?: bad += 1
        case _?: lost += 1
        case nil: bad += 1
        }
        let isFirst = saves == nil ? bad == 1 : lost == 1 && (saves ?? .max) <= number
        if isFirst {
          let why = explanations[kind.model ?? "ext4-like"] ?? explanations["strict"] ?? "not explained"
          result.remarks.append("after save \(number): \(saves.map { "save \($0) is the last" } ?? said); \(why)")
        }
      }
    }
    let counts = [numbers.count, kept, lost, bad] + CutWitness.models.map { allowed[$0] ?? 0 }
    let isBroken = (subject.level ?? .fragile) >= .intact && bad > 0 || subject.level == .durable && lost > 0
    if isBroken {
      result.remarks.append("BROKEN: less is left than \(subject.level?.rawValue ?? "") promises")
      result.broken += 1
    }
    let words = [subject.name, subject.durability.rawValue, subject.level?.rawValue ?? "-"]
    result.row = (words + counts.map(String.init)).joined(separator: " | ")
    return result
  }
}

/// A child process of this program that communicates line by line.
private final class Talk {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var rest = Data()

  init(_ words: [String], _ task: String, configuration: String) throws {
    process.executableURL = PowerCut.ownExecutable
    process.arguments = [PowerCut.name, task] + words
    process.environment = ["XDG_CONFIG_HOME": configuration, "HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Returns the next line; nil if the process has ended.
  func next() throws -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      rest += more
    }
  }

  /// - Throws: `StoreError` if the process writes any other line.
  func expect(_ line: String) throws {
    let said = try next()
    guard said == line else {
      throw StoreError.failed("a process that saves said '\(said ?? "nothing")' and not '\(line)'")
    }
  }

  func kill() {
    process.terminate()
    process.waitUntilExit()
  }

  func goOn() { try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

  func end() { process.waitUntilExit() }

  /// Returns the single line that the process writes, or its exit status.
  func last() throws -> String {
    let line = try next()
    process.waitUntilExit()
    return line ?? "unreadable: the process died, status \(process.terminationStatus)"
  }
}
