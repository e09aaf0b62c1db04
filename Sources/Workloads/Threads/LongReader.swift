import Foundation
import StorageContract

/// A workload that saves while another thread keeps a snapshot of the store open.
struct LongReader: Workload {
  static let held = OptionSpec(
    "held", ["yes", "no"], help: "keep a reading block open during all saves, or read nothing")
  /// The name under which reports show the size of the store's files after the last save, in bytes.
  static let storeBytes = "store_bytes"

  static let description = WorkloadDescription(
    id: "long-reader", question: "What does it cost if a reader stays open while others save?",
    operation: "change one record and commit, while another thread holds the state before the first save",
    options: [held], access: .writes, counted: .saves, capability: { _ in .concurrent },
    obstacle: { options, store in
      let isFree = (store.backend as? any Concurrent.Type)?.readsBesideWriter(store.durability, store.options) == true
      return isFree ? nil : "a save would wait until the reader has ended"
    })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { LongReaderSession(context, options) }
}

private final class LongReaderSession: ThreadedStore, SharedStoreSession {
  private let isHeld: Bool
  private var reader: HeldSnapshot?
  private var block = Block<Record>()
  private(set) var findings: [Finding] = []

  init(_ context: SessionContext, _ options: Options) {
    isHeld = options[LongReader.held] == "yes"
    super.init(context, blockSize: min(256, (32 << 20) / max(1, context.recordBytes)))
  }

  func setUp() throws {
    let provided = try context.openShared()
    let store = provided.value
    self.store = store
    // Only the records that the first saves change are checked. A check of all records could take minutes.
    let source = context.source
    let keys = Set((0..<64).map { context.drawn($0, below: source.count) }).map { source.key(at: $0) }
    // An emulated store runs one closure at a time, so an open reader would block the writer for ever.
    if isHeld, provided.isNative { reader = try HeldSnapshot(of: store, keys) }
  }

  private func record(_ operation: Int) -> Record { context.edited(context.drawnRecord(operation), operation) }

  func prepare(_ operations: Range<Int>) { block = Block(operations, record) }

  func perform(_ operation: Int) throws {
    let record = block[operation]
    try store.unsafelyUnwrapped.write { try $0.put(record) }
  }

  /// Measures the size of the store's files, checks that the open snapshot has not changed, and closes the store.
  func finish() throws {
    guard store != nil else { return }
    let storeBytes = DirectorySize.bytes(context.environment.directory)
    if context.isCounting { findings = [Finding(LongReader.storeBytes, Double(storeBytes), .first)] }
    let found = try reader.take()?.end() ?? []
    if context.isVerifiable {
      let initial = Expectation(context.source)
      for (key, record) in found { try Expectation.compare(record, with: initial.record(key), key: key) }
    }
    try close()
  }

  func bytesChanged(by operations: Int) -> Int { (0..<operations).reduce(0) { $0 + record($1).payload.count + 8 } }

  func expectation(after operations: Int) -> Expectation {
    Expectation(context.source).after((0..<operations).lazy.map { .put(self.record($0)) })
  }

  func hash(_ operation: Int, into hash: inout StableHash) { record(operation).withView { hash.add($0) } }
}

/// A thread that opens a snapshot of a store, waits for the call of ``end()``, and then reads from the snapshot.
private final class HeldSnapshot: @unchecked Sendable {
  // The class is Sendable because the semaphores order all accesses.

  private let (opened, release, ended) = (
    DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
  )
  private var result: Result<[(Int64, Record?)], any Error> = .success([])

  /// Starts a thread that keeps a snapshot of `store` open until ``end()`` is called, and then reads the records with
  /// `keys`.
  ///
  /// - Throws: The engine's error if the snapshot cannot be opened or read.
  init(of store: any SharedStore, _ keys: [Int64]) throws {
    Thread.detachNewThread {
      self.result = Result {
        try store.read { snapshot in
          // Some engines take the snapshot at the first read.
          _ = try keys.first.map { try snapshot.record($0) }
          self.opened.signal()
          self.release.wait()
          return try keys.map { ($0, try snapshot.record($0)) }
        }
      }
      // If the closure failed before its signal, the initializer still waits.
      self.opened.signal()
      self.ended.signal()
    }
    opened.wait()
    if case .failure(let error) = result { throw error }
  }

  /// Makes the thread read the records and end, and returns each key with its record, or with nil if there is none.
  func end() throws -> [(Int64, Record?)] {
    release.signal()
    ended.wait()
    return try result.get()
  }
}
