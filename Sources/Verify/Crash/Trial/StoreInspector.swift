import Foundation
import StorageContract

/// An inspector of the stores that crash-test cases leave. New processes open the stores, because a damaged store may
/// crash a process.
struct StoreInspector: Sendable {
  let subject: CheckedBackend
  let history: String
  let directory: String
  let limit: Int

  /// The maximum number of stores that one process inspects. Each store may take one second of the process's timeout.
  private var storesOfAProcess: Int { max(1, min(25, limit)) }
  /// The number of processes that inspect stores at the same time.
  private static let processes = 4

  func read(_ stores: [StoreToRead]) throws -> [StoreRead] {
    let share = max(storesOfAProcess, (stores.count + Self.processes - 1) / Self.processes)
    let parts = stride(from: 0, to: stores.count, by: share).map { stores[$0..<min(stores.count, $0 + share)] }
    return try concurrently(parts.count) { try read(Array(parts[$0]), in: "\(directory)/reading-\($0)") }
      .flatMap(\.self)
  }

  /// Inspects stores in a child process. After a crash, a new process continues with the next store.
  private func read(_ stores: [StoreToRead], in directory: String) throws -> [StoreRead] {
    let directories = ChildDirectories(directory: directory)
    try directories.make()
    let list = "\(directory)/stores.json"
    try JSONEncoder().encode(stores).write(to: URL(fileURLWithPath: list))
    let results = "\(directory)/results"
    var found: [StoreRead] = []
    while found.count < stores.count {
      for file in [results, directories.errors] where FileManager.default.fileExists(atPath: file) {
        try FileManager.default.removeItem(atPath: file)
      }
      let task = ReadingTask(
        subject: subject, history: history, stores: list, start: found.count,
        end: min(stores.count, found.count + storesOfAProcess), results: results)
      let ending = try ChildLaunch(directories: directories, limit: limit).perform(task)
      let lines = (FileManager.default.contents(atPath: results) ?? Data()).split(separator: UInt8(ascii: "\n"))
      guard ending.obstacle == nil, !lines.isEmpty else {
        throw CrashTestError(
          "the stores of \(subject.name) cannot be verified: \(ending.obstacle ?? ending.sentence)")
      }
      // Each store has two lines in the results. The second one is missing if the process ended during the inspection.
      let whole = lines.filter { $0.first == UInt8(ascii: "{") }
      found += try whole.map { try JSONDecoder().decode(StoreRead.self, from: $0) }
      if lines.count > 2 * whole.count { found.append(StoreRead(ending: ending.sentence)) }
    }
    return found
  }
}
