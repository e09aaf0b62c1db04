import Foundation
import StorageContract

/// The data for repeating a power cut on another machine: the saves, the files before the saves, and the saves' system
/// calls. For a second power cut, the other machine opens the store itself, which may leave other files.
public struct CrashReplay: Codable, Sendable {
  /// One file of the store as it was before the logged system calls.
  struct File: Codable, Sendable {
    var name: String
    var number: UInt64
    var bytes: Data
  }

  /// The name of the backend with its options, as on the command line: `sqlite:journal=wal`.
  public var backend: String
  /// The durability requested from the backend, such as `durable`.
  public var durability: Durability
  /// The text of the crash-test case, such as `power:strict:saves=2:cut=7`.
  public var crashCase: String
  var history: StoredHistory
  var directories: [String]
  var files: [File]
  /// The log of the system calls that the saves made.
  var log: Data

  /// Reads a replay file, which has all data to repeat one power cut.
  ///
  /// - Throws: `UsageError` if the file is not a replay file.
  public init(reading path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw UsageError("--only: \(path) cannot be read; give a case, or the replay file of one")
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch {
      throw UsageError("--only: \(path) is not a replay file of this version; give one that crashtest has written")
    }
    let names = files.map(\.name) + directories
    guard history.isWhole, let calls = try? CallLog(log, path: path).calls, calls.allSatisfy(Self.isBounded) else {
      throw UsageError(
        "--only: \(path) is damaged (changes without a collection, or calls without a length); give a file that crashtest wrote"
      )
    }
    guard !history.history.saves.isEmpty, names.allSatisfy(Self.staysInside) else {
      throw UsageError("--only: \(path) has no saves, or files outside of its store; give a file that crashtest wrote")
    }
  }

  /// Returns whether a logged call is small enough to be replayed in memory.
  private static func isBounded(_ call: LoggedCall) -> Bool {
    let most: UInt64 = 1 << 31
    switch call.kind {
    case .write, .allocate: return call.offset <= most && call.length <= most
    case .truncate: return call.offset <= most
    default: return true
    }
  }

  static func staysInside(_ name: String) -> Bool { !name.hasPrefix("/") && !name.split(separator: "/").contains("..") }

  init(_ crashCase: CrashCase, of subject: CheckedBackend, _ history: SaveHistory, base: ReplayedFiles, log: Data) {
    backend = subject.name
    durability = subject.durability
    self.crashCase = crashCase.description
    self.history = StoredHistory(history)
    directories = base.directories.sorted()
    files = base.names.sorted { $0.key < $1.key }.map { name, number in
      File(name: name, number: number, bytes: Data(base.contents[number] ?? []))
    }
    self.log = log
  }

  /// The saves that the replay file contains.
  public var saves: SaveHistory { history.history }

  var base: ReplayedFiles {
    var base = ReplayedFiles()
    for file in files { (base.names[file.name], base.contents[file.number]) = (file.number, [UInt8](file.bytes)) }
    base.directories = Set(directories)
    return base
  }

  func write(to path: String) throws {
    try JSONEncoder.compact.encode(self).write(to: URL(fileURLWithPath: path))
  }
}
