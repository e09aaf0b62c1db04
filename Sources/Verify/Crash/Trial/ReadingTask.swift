import CStorageInstrument
import Foundation
import StorageContract

/// A store that a new process opens in a crash test, and the content that the process may find.
struct StoreToRead: Codable {
  /// The directory of the store. The inspecting process opens a copy, so the directory stays unchanged.
  var directory: String
  var damage: FileDamage?
  var earlier = ""
  var acknowledged: [Int]
  /// The number of the save that was interrupted, for example by a kill; nil if there is none.
  var inFlight: Int?
  var failed: [Int] = []
}

/// The result of inspecting a store in a new process.
struct StoreRead: Codable {
  enum Content: Codable, Hashable {
    case acknowledged
    case inFlight
    /// The store holds only the first acknowledged saves; the value is the number of these saves.
    case earlier(Int)
    case failed(Int)
    case other
  }

  var damage: String?
  var error: SeenError?
  var content: Content?
  /// A description of how the store differs from the acknowledged saves, such as `record 3 of records is missing`;
  /// empty if equal.
  var difference = ""
  /// A description of the problem when the store was opened a second time, such as changed content; nil if there was
  /// none.
  var again: String?
  /// The reason why the store did not accept or keep a new save; nil if the save succeeded or was not tried.
  var next: String?
  /// A description of the crash or hang of the process that opened the store; nil if the process ended normally.
  var ending: String?
}

/// A task that opens stores one after the other in a child process and reports their content.
struct ReadingTask: ChildTask {
  var subject: CheckedBackend
  var history: String
  var stores: String
  /// The index of the first store that this process inspects. ``end`` is the index after the last store.
  var start: Int
  var end: Int
  /// The path of the file for the results. For each store, the file has a line with the store's index and a line with
  /// the ``StoreRead`` as JSON.
  var results: String

  /// Writes the results to a file. A thrown error does not come from a store: the disk may be full, for example.
  func perform(in child: ChildProcess) throws {
    let history = try StoredHistory(reading: history).history
    let stores = try JSONDecoder().decode([StoreToRead].self, from: Data(contentsOf: URL(fileURLWithPath: stores)))
    let output = open(results, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard output >= 0 else {
      throw UsageError(
        "the child process cannot write \(results): \(String(cString: strerror(errno))); "
          + "check the permissions and the free space there")
    }
    try child.confine(to: .any)
    let environment = subject.environment(child.directories.store, history.collections)
    for number in start..<end {
      try Self.write(Data("\(number)\n".utf8), to: output)
      let read = try StoreReading(
        store: stores[number], type: subject.type, history: history, environment: environment
      ).perform()
      try Self.write(JSONEncoder().encode(read) + Data("\n".utf8), to: output)
      // The failed save may remain in the memory of this process and leak into the next store.
      if read.next != nil { return }
    }
  }

  private static func write(_ line: Data, to output: Int32) throws {
    let error = line.withUnsafeBytes { ci_write_all(output, $0.baseAddress, UInt64($0.count)) }
    guard error == 0 else {
      throw UsageError(
        "the child process cannot write its results: \(String(cString: strerror(error))); "
          + "check the free space of the directory with the stores, which may be in memory")
    }
  }
}

private struct StoreReading {
  let store: StoreToRead
  let type: any StorageBackend.Type
  let history: SaveHistory
  let environment: StoreEnvironment

  func perform() throws -> StoreRead {
    try DirectoryFiles.empty(environment.directory)
    try DirectoryFiles.copy(store.directory, to: environment.directory)
    var read = StoreRead()
    read.damage = try store.damage?.apply(in: environment.directory, earlier: store.earlier)
    do {
      let first = try content()
      (read.content, read.difference) = compare(first)
      read.again = problem { try content().difference(from: first, history.collections) }
    } catch {
      read.error = SeenError(error)
      return read
    }
    // Saves into a damaged store are not tested.
    if store.damage == nil { read.next = problem(next) }
    return read
  }

  private func content() throws -> StoreContent {
    let opened = try type.init(opening: environment)
    let content = try StoreContent(reading: opened, collections: history.collections.count)
    try opened.close()
    return content
  }

  private func compare(_ found: StoreContent) -> (StoreRead.Content, difference: String) {
    let expected = history.content(after: store.acknowledged)
    guard let difference = found.difference(from: expected, history.collections) else { return (.acknowledged, "") }
    func holds(_ saves: [Int]) -> Bool { found.isSame(as: history.content(after: saves)) }
    if let inFlight = store.inFlight, holds(store.acknowledged + [inFlight]) { return (.inFlight, difference) }
    for count in store.acknowledged.indices.reversed() where holds(Array(store.acknowledged.prefix(count))) {
      return (.earlier(count), difference)
    }
    for failed in store.failed where holds((store.acknowledged + [failed]).sorted()) {
      return (.failed(failed), difference)
    }
    return (.other, difference)
  }

  /// Returns the result of `test`, such as a difference between expected and found records, or the text of its error.
  private func problem(_ test: () throws -> String?) -> String? {
    do {
      return try test()
    } catch {
      return "\(error)"
    }
  }

  /// Makes one more save and opens the store again. Returns the difference between expected and found records. Nil if
  /// the save is found.
  private func next() throws -> String? {
    let opened = try type.init(opening: environment)
    var expected = try StoreContent(reading: opened, collections: history.collections.count)
    let change = Change.put(
      Record(id: .max - 1, name: "one save more", group: "", score: 0, modified: 0, payload: []))
    try expected.commit([change], to: opened)
    try opened.settle()
    try opened.close()
    return try content().difference(from: expected, history.collections)
  }
}
