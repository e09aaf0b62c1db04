import Foundation
import StorageContract

/// The faults of a save in a store of one file, one at a time, with the summary of the backend that has the fault.
enum Slip: String, CaseIterable {
  case careful = "replaces its file with care"
  case acknowledgesEarly = "acknowledges a save and writes it with the next one"
  case writesInPlace = "empties its file and writes it where it is"
  case dropsInterrupted = "takes an interrupted write for made"
  case ignoresShortWrites = "takes every write for whole"
  case swallowsFailures = "acknowledges saves that could not be written"
  case ignoresFailedSyncs = "goes on when a sync has failed"
  case keepsStaleCache = "goes on with what could not be saved"
  case savesHalfBatches = "saves each change by itself"
  case deletesWrongFile = "removes the store when a save fails"
  case leavesLock = "locks by a file that stays when the process dies"

  // Faults that only a power cut reveals. All of these promise durable saves, and the first of them keeps that promise.

  case carefulAndDurable = "replaces its file with care, and syncs the directory"
  /// Only the directory is synced.
  case syncsNothing = "renames a file that is nowhere but in the page cache"
  case syncsWrongFile = "syncs the file that is about to be replaced"
  case renamesFirst = "syncs its file when it has been renamed already"
  case losesRenames = "promises durable saves and does not sync the directory"
  /// The first save is not synced, since there is no earlier file that it could destroy.
  case skipsFirstSync = "syncs each save but the one that makes its file"
  /// A header of two sectors, written in place, has the position of the content.
  case tearsHeader = "overwrites a header that is longer than a sector"

  /// The cases that promise durable saves.
  static let durables: [Slip] = [
    .carefulAndDurable, .syncsNothing, .syncsWrongFile, .renamesFirst, .losesRenames, .skipsFirstSync, .tearsHeader,
  ]

  var syncsDirectory: Bool {
    [.carefulAndDurable, .syncsNothing, .syncsWrongFile, .renamesFirst, .skipsFirstSync].contains(self)
  }
}

/// A store of one file, replaced as a whole by its own calls, correct except for one fault.
final class OneFile {
  private let path: String
  private let slip: Slip
  private(set) var tables: [[Int64: Record]]
  /// Whether an acknowledged save is not written yet.
  private var isPending = false

  private var temporary: String { path + ".new" }
  private var lock: String { path + ".lock" }

  init(_ environment: StoreEnvironment, _ slip: Slip) throws {
    path = environment.path("store.json")
    self.slip = slip
    tables = Array(repeating: [:], count: environment.collections.count)
    if slip == .leavesLock {
      let descriptor = open(lock, O_WRONLY | O_CREAT | O_EXCL, 0o600)
      guard descriptor >= 0 else { throw StoreError.busy("store.json: somebody has it open") }
      Foundation.close(descriptor)
    }
    guard FileManager.default.fileExists(atPath: path) else { return }
    guard let data = content,
      let records = try? JSONDecoder().decode([[Record]].self, from: data), records.count == tables.count
    else { throw StoreError.damaged("store.json is no store") }
    tables = records.map { Dictionary($0.map { ($0.id, $0) }) { $1 } }
  }

  func table(_ collection: CollectionID) throws -> [Int64: Record] {
    guard tables.indices.contains(collection.index) else { throw StoreError.failed("no such collection") }
    return tables[collection.index]
  }

  func commit(_ changes: [Change]) throws {
    for change in changes { _ = try table(change.collection) }
    guard slip == .savesHalfBatches else { return try save(changes) }
    for change in changes { try save([change]) }
  }

  func close() throws {
    if isPending { try replace() }
    if slip == .leavesLock { unlink(lock) }
  }

  private func save(_ changes: [Change]) throws {
    if slip == .acknowledgesEarly {
      if isPending { try replace() }
      isPending = true
      return apply(changes)
    }
    let before = tables
    apply(changes)
    do {
      try replace()
    } catch {
      if slip == .swallowsFailures { return }
      if slip != .keepsStaleCache { tables = before }
      throw error
    }
  }

  private func apply(_ changes: [Change]) {
    for change in changes { tables[change.collection.index][change.record.id] = change.isDelete ? nil : change.record }
  }

  private func replace() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(tables.map { $0.values.sorted { $0.id < $1.id } })
    if slip == .tearsHeader { return try append(data) }
    let target = slip == .writesInPlace ? path : temporary
    do {
      try write(data, to: target)
      if target != path, rename(target, path) != 0 { throw refusal("renamed") }
      if slip == .renamesFirst { try sync(path) }
      if slip.syncsDirectory { try sync((path as NSString).deletingLastPathComponent) }
    } catch {
      unlink(slip == .deletesWrongFile ? path : temporary)
      throw error
    }
  }

  private func write(_ data: Data, to target: String) throws {
    let descriptor = try retrying("made") { open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
    defer { Foundation.close(descriptor) }
    try data.withUnsafeBytes { bytes in
      // Writes in pieces, as many stores do, so that a cut can fall between them.
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1_000))
        let written = try part(piece, descriptor)
        rest = rest.dropFirst(written)
      }
    }
    switch slip {
    case .syncsNothing, .renamesFirst: break
    case .skipsFirstSync where !FileManager.default.fileExists(atPath: path): break
    case .syncsWrongFile: if FileManager.default.fileExists(atPath: path) { try sync(path) }
    default: _ = try retrying("synced") { fsync(descriptor) == 0 || slip == .ignoresFailedSyncs ? 0 : -1 }
    }
  }

  private func sync(_ path: String) throws {
    let descriptor = try retrying("opened") { open(path, O_RDONLY | O_CLOEXEC) }
    defer { Foundation.close(descriptor) }
    _ = try retrying("synced") { fsync(descriptor) }
  }

  // MARK: - A file with a header

  /// The first sector of the header has the position of the content, the second its length.
  private static let (header, lengthOffset) = (1_024, 600)

  private var content: Data? {
    guard let data = FileManager.default.contents(atPath: path), slip == .tearsHeader else {
      return FileManager.default.contents(atPath: path)
    }
    guard data.count >= Self.header else { return data.isEmpty ? nil : Data() }
    let numbers = [0, Self.lengthOffset].map { offset in
      data.subdata(in: offset..<offset + 8).withUnsafeBytes { Int($0.loadUnaligned(as: Int64.self)) }
    }
    guard numbers[0] >= 0, numbers[1] >= 0, numbers[0] + numbers[1] <= data.count else { return nil }
    return data.subdata(in: numbers[0]..<numbers[0] + numbers[1])
  }

  /// Appends the content, and writes the header only after the content is on the disk.
  private func append(_ data: Data) throws {
    let descriptor = try retrying("opened") { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    defer { Foundation.close(descriptor) }
    let end = max(Self.header, Int(lseek(descriptor, 0, SEEK_END)))
    var header = Data(count: Self.header)
    for (offset, number) in [(0, Int64(end)), (Self.lengthOffset, Int64(data.count))] {
      withUnsafeBytes(of: number) { header.replaceSubrange(offset..<offset + 8, with: $0) }
    }
    for (bytes, offset) in [(data, end), (header, 0)] {
      let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      guard written == bytes.count else { throw refusal("written") }
      _ = try retrying("synced") { fsync(descriptor) }
    }
    try sync((path as NSString).deletingLastPathComponent)
  }

  /// Writes a piece, or a part of it.
  private func part(_ piece: UnsafeRawBufferPointer, _ descriptor: Int32) throws -> Int {
    if slip == .dropsInterrupted || slip == .ignoresShortWrites {
      let written = Foundation.write(descriptor, piece.baseAddress, piece.count)
      if written < 0, errno != EINTR || slip != .dropsInterrupted { throw refusal("written") }
      return slip == .ignoresShortWrites || written < 0 ? piece.count : written
    }
    return Int(try retrying("written") { Int32(Foundation.write(descriptor, piece.baseAddress, piece.count)) })
  }

  /// Repeats a call until it is not interrupted.
  private func retrying(_ what: String, _ call: () -> Int32) throws -> Int32 {
    while true {
      let result = call()
      if result >= 0 { return result }
      if errno != EINTR { throw refusal(what) }
    }
  }

  private func refusal(_ what: String) -> StoreError {
    let text = "store.json cannot be \(what): \(String(cString: strerror(errno)))"
    return errno == ENOSPC ? .full(text) : .failed(text)
  }
}
