import Foundation
import StorageContract

/// The backend `files`: one file for each record, at `NAME.collection/KEY`, or `NAME.collection/XX/KEY` with `fan=256`.
/// A file has the bytes `rec1`, a length and the encoded record.
final class FilesBackend: StorageBackend {
  static let fan = OptionSpec(
    "fan", ["1", "256"], help: "the records of a collection in one directory, or spread over 256")

  static let description = BackendDescription(
    id: "files", appearance: Appearance(name: "Files", mark: 8),
    summary: "a file for each record, replaced by a rename",
    safety: """
      At shipped, a power cut may undo any of the last saves and keep later ones; there is no checksum; to back up, copy \
      or delete the store, every record's file must be handled.
      """,
    options: [fan, KeyForm.textOption],
    kind: { _ in .page },
    engineVersion: { "plain files" },
    isDefault: false)

  private let files: RecordFiles
  private var members: [Set<Int64>]
  private var order: [KeyOrder]

  /// Returns the safety level: at `crash`, saves survive a crash of the process; at `durable`, also a power cut.
  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    // There is no level between `crash` and `durable`: without a directory sync, a power cut may lose one rename and
    // keep a later one.
    .level([.shipped, .crash].contains(durability) ? .crash : .durable)
  }

  init(opening environment: StoreEnvironment) throws {
    files = try RecordFiles(environment, fan: environment.options[Self.fan] == "256")
    (members, order) = ([], [])
    if let changes = try files.pending() { try files.finish(changes) }
    for collection in environment.collections.indices {
      let keys = try files.keys(in: collection)
      var sorted = KeyOrder()
      for key in keys { sorted.insert(key) }
      members.append(Set(keys))
      order.append(sorted)
    }
  }

  var settings: String { files.settings }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    for change in changes { _ = try change.collection.checked(order.count) }
    try files.finishWaiting()
    guard changes.count > 1 else { return try commit(changes[0]) }
    // Only the last change of each record is kept, so that the list of file changes can be applied twice after a crash.
    var last: [RecordPlace: Int] = [:]
    for (number, change) in changes.enumerated() { last[RecordPlace(change)] = number }
    let final = changes.enumerated().filter { number, change in
      let target = RecordPlace(change)
      return last[target] == number && (!change.isDelete || members[target.collection.index].contains(target.key))
    }.map(\.element)
    guard !final.isEmpty else { return }
    try files.save(final.indices.map { (RecordPlace(final[$0]), final[$0].isDelete ? nil : $0) }) {
      try files.write(final[$0].record, to: $1, syncs: files.syncsFiles)
    }
    final.forEach(note)
  }

  private func commit(_ change: Change) throws {
    let target = RecordPlace(change)
    if !change.isDelete {
      try files.replace(target, with: change.record)
    } else if members[target.collection.index].contains(target.key) {
      try files.remove(target)
    }
    note(change)
  }

  private func note(_ change: Change) {
    let (collection, key) = (change.collection.index, change.record.id)
    if change.isDelete {
      if members[collection].remove(key) != nil { order[collection].remove(key) }
    } else if members[collection].insert(key).inserted {
      order[collection].insert(key)
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    _ = try collection.checked(order.count)
    let target = RecordPlace(collection: collection, key: key)
    if let change = files.waiting.first(where: { $0.target == target }) {
      guard let number = change.number else { return false }
      if try files.read(number: number, key, body) { return true }
    }
    return try files.read(target, body)
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    // The body may commit changes, so the scan uses a copy of the current keys.
    for key in order[try collection.checked(order.count)].keys(in: keys) {
      var goesOn = true
      _ = try read(key, in: collection) { goesOn = try body($0) }
      guard goesOn else { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int { order[try collection.checked(order.count)].count }

  func close() throws {}

  /// Writes records into a new store, as the starting state of a measurement. The files get their final names directly.
  static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws {
    let files = try RecordFiles(environment, fan: environment.options[fan] == "256")
    for record in records {
      try files.withPath(RecordPlace(collection: .records, key: record.id)) {
        try files.write(record, to: $0, syncs: false)
      }
    }
  }
}
