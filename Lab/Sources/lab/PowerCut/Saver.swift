import CStorageInstrument
import Foundation
import StorageBackends
import StorageContract
import StorageVerify

/// A backend in the arguments of this program's processes: id, options, durability.
struct Subject {
  let backend: any StorageBackend.Type
  let options: Options
  let durability: Durability

  /// The three arguments.
  var words: [String] { [backend.description.id, options.description, durability.rawValue] }
  var name: String { options.description.isEmpty ? words[0] : "\(words[0]):\(words[1])" }

  init(_ words: [String]) throws {
    guard words.count >= 3, let backend = Backends.all.first(where: { $0.description.id == words[0] }),
      let durability = Durability(rawValue: words[2])
    else { throw UsageError("no such backend: \(words.joined(separator: " "))") }
    self.backend = backend
    self.durability = durability
    let texts = words[1].isEmpty ? [] : words[1].split(separator: ":").map(String.init)
    options = try Options(parsing: texts, specs: backend.description.options, owner: words[0])
  }

  var level: Level? { if case .level(let level) = backend.promise(durability, options) { level } else { nil } }

  func open(_ directory: String, _ history: SaveHistory) throws -> any StorageBackend {
    try backend.init(
      opening: StoreEnvironment(
        directory: directory, options: options, durability: durability, collections: history.collections))
  }

  /// Returns the saves to make. The first one is on the disk before the log begins.
  static func history(_ commits: Int) -> SaveHistory { SaveHistory(records: 20, count: commits + 1) }
}

/// The process that saves. It reports each save and waits.
struct Saver {
  private let subject: Subject
  private let directory: String
  private let log: String
  private let history: SaveHistory

  init(_ words: [String]) throws {
    guard words.count == 6, let commits = Int(words[5]) else { throw UsageError("save: six words") }
    subject = try Subject(words)
    (directory, log, history) = (words[3], words[4], Subject.history(commits))
  }

  func run() throws {
    var store = try subject.open(directory, history)
    try store.commit(history.saves[0])
    try store.settle()
    try store.close()
    sync()
    tell("ready")
    let watch = try CallWatch(directory, log: log)
    store = try subject.open(directory, history)
    ci_acknowledge(0)
    for (index, changes) in history.saves.enumerated().dropFirst() {
      try store.commit(changes)
      ci_acknowledge(1)
      tell("\(index)")
    }
    try store.settle()
    try store.close()
    _ = watch.end()
    tell("done")
  }

  /// Reports to the parent and waits until the parent has made its cut.
  private func tell(_ line: String) {
    print(line)
    fflush(nil)
    _ = readLine()
  }
}

/// The process that opens a store after a cut and reports its content: the number of saves, or an error.
struct Reader {
  private let subject: Subject
  private let directory: String
  private let history: SaveHistory

  init(_ words: [String]) throws {
    guard words.count == 5, let commits = Int(words[4]) else { throw UsageError("read: five words") }
    subject = try Subject(words)
    (directory, history) = (words[3], Subject.history(commits))
  }

  func run() throws {
    let store: any StorageBackend
    var found: [[Int64: Record]] = []
    do {
      store = try subject.open(directory, history)
      for index in history.collections.indices {
        let records = try store.records(.all, in: CollectionID(index))
        found.append(Dictionary(records.map { ($0.id, $0) }) { first, _ in first })
      }
      try store.close()
    } catch {
      return print("unreadable: \(error)")
    }
    var content: [[Int64: Record]] = history.collections.map { _ in [:] }
    var last: Int?
    for (index, changes) in ([[]] + history.saves).enumerated() {
      for change in changes {
        content[change.collection.index][change.record.id] = change.isDelete ? nil : change.record
      }
      if found == content { last = index }
    }
    print(last.map { "saves \($0)" } ?? "torn")
  }
}
