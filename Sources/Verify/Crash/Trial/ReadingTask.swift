import CStorageInstrument
import Foundation
import StorageContract

/// A store that a new process opens, and what it may find there.
struct StoreToRead: Codable {
  /// Where the store is; it stays as it is.
  var directory: String
  /// What is done to the copy that is opened.
  var damage: FileDamage?
  /// The same store as it was earlier, for a damage that brings it back.
  var earlier = ""
  /// The saves that were acknowledged, in their order.
  var acknowledged: [Int]
  /// The save that may be there whole or not at all.
  var inFlight: Int?
  /// The saves that threw, which may not be there.
  var failed: [Int] = []
}

/// What a new process found in a store.
struct StoreRead: Codable {
  enum Content: Codable, Hashable {
    /// What was acknowledged.
    case acknowledged
    /// And the save during which the process was killed.
    case inFlight
    /// What was there after so many of the acknowledged saves.
    case earlier(Int)
    /// What was acknowledged, and a save that threw.
    case failed(Int)
    /// Something that never was.
    case other
  }

  /// What was done to the store.
  var damage: String?
  /// Why it could not be opened or read.
  var error: SeenError?
  var content: Content?
  /// In what the content differs from what was acknowledged.
  var difference = ""
  /// In what a second opening differs from the first.
  var again: String?
  /// Why a save could not be made afterwards, or is not there.
  var next: String?
  /// How the process ended, if it ended in the middle of it.
  var ending: String?
}

/// Why a process could not look at stores.
struct ReadingObstacle: Codable {
  var sentence: String
}

/// Opens stores, one after the other, in a process of its own, and tells what is in them. The stores are copied to one
/// place, since some backends know no other.
struct ReadingTask: ChildTask {
  var type: String
  var options: String
  var durability: Durability
  var history: String
  /// Where the list of ``StoreToRead`` is.
  var stores: String
  /// Which of them: those from here on, before `end`.
  var start: Int
  var end: Int
  /// Where results go: for each store a line with its number, then one with the ``StoreRead``.
  var results: String

  func perform(in child: ChildProcess) {
    do {
      try read(in: child)
    } catch {
      // Not the store's doing: a store that cannot be read is told of in its result.
      child.answer(ReadingObstacle(sentence: "\(error)"))
    }
  }

  private func read(in child: ChildProcess) throws {
    let history = try StoredHistory(reading: history).history
    guard let type = _typeByName(type) as? any StorageBackend.Type else {
      throw UsageError("the process was not told which backend to use")
    }
    let stores = try JSONDecoder().decode([StoreToRead].self, from: Data(contentsOf: URL(fileURLWithPath: stores)))
    let output = open(results, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw UsageError("\(results) cannot be written") }
    _ = try child.confine(to: .any)
    let environment = StoreEnvironment(
      directory: child.places.store, options: Options(verbatim: options), durability: durability,
      collections: history.collections)
    for number in start..<end {
      try Self.write(Data("\(number)\n".utf8), to: output)
      let reader = StoreReading(store: stores[number], type: type, history: history, environment: environment)
      let read = try reader.perform()
      try Self.write(JSONEncoder().encode(read) + Data("\n".utf8), to: output)
      // What could not be saved may still be in the memory of this process, to get into the next store.
      if read.next != nil { return }
    }
  }

  private static func write(_ line: Data, to output: Int32) throws {
    let error = line.withUnsafeBytes { ci_write_all(output, $0.baseAddress, UInt64($0.count)) }
    guard error == 0 else { throw UsageError("results cannot be written: error \(error)") }
  }
}

/// One store's reading.
private struct StoreReading {
  let store: StoreToRead
  let type: any StorageBackend.Type
  let history: SaveHistory
  let environment: StoreEnvironment

  func perform() throws -> StoreRead {
    try CrashStoreFiles.copy(store.directory, over: environment.directory)
    var read = StoreRead()
    read.damage = try store.damage?.apply(in: environment.directory, earlier: store.earlier)
    do {
      let first = try content()
      (read.content, read.difference) = compare(first)
      read.again = again(first)
    } catch {
      read.error = SeenError(error)
      return read
    }
    // What a damaged store does with more saves is its own business.
    if store.damage == nil { read.next = next(read.content) }
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
    if found.isSame(as: expected) { return (.acknowledged, "") }
    let difference = found.difference(from: expected, history.collections)
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

  private func again(_ first: StoreContent) -> String? {
    do {
      let second = try content()
      return second.isSame(as: first) ? nil : second.difference(from: first, history.collections)
    } catch {
      return "\(error)"
    }
  }

  /// One save more, which has to be there in the end with all that was before.
  private func next(_ content: StoreRead.Content?) -> String? {
    do {
      let opened = try type.init(opening: environment)
      var expected = try StoreContent(reading: opened, collections: history.collections.count)
      let change = Change.put(
        Record(id: .max - 1, name: "one save more", group: "", score: 0, modified: 0, payload: []))
      try opened.commit([change])
      try opened.settle()
      try opened.close()
      expected.apply([change])
      let found = try self.content()
      return found.isSame(as: expected) ? nil : found.difference(from: expected, history.collections)
    } catch {
      return "\(error)"
    }
  }
}
