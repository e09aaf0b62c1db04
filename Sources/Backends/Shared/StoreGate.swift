import Foundation
import StorageContract

/// A gate that keeps a store open while threads use the store by closures (blocks). A nested block gets an error,
/// because it would deadlock.
final class StoreGate: @unchecked Sendable {
  private let file: String
  private let lock = ReadWriteLock()
  private var isClosed = false

  init(_ file: String) { self.file = file }

  /// Runs a block that uses the store. The store stays open until the block ends. Blocks with one lock run one at a
  /// time.
  ///
  /// - Throws: ``StoreError/failed(_:)`` if the store is closed, or if the thread is already inside a block.
  func pass<Result>(taking turn: NSLock? = nil, _ body: () throws -> Result) throws -> Result {
    try enter {
      turn?.lock()
      defer { turn?.unlock() }
      return try lock.shared {
        guard !isClosed else { throw StoreError.failed("\(file) is closed") }
        return try body()
      }
    }
  }

  /// Runs the body while no other thread uses the store. Must be called inside ``pass(taking:_:)``. Values read before
  /// may then be outdated.
  func alone<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.alonePausing(body) }

  /// Waits until no block is running, then closes the store by the body. Later blocks get an error. A second call does
  /// nothing.
  func close(taking turn: NSLock? = nil, _ body: () throws -> Void) throws {
    try enter {
      turn?.lock()
      defer { turn?.unlock() }
      try lock.alone {
        guard !isClosed else { return }
        try body()
        isClosed = true
      }
    }
  }

  /// An entry in the list of stores that the current thread uses. `outer` is the entry of the enclosing block, or nil.
  private struct Entry {
    let gate: ObjectIdentifier
    let outer: UnsafePointer<Entry>?
  }

  private static let entries: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private func enter<Result>(_ body: () throws -> Result) throws -> Result {
    let outer = pthread_getspecific(Self.entries).map { UnsafePointer($0.assumingMemoryBound(to: Entry.self)) }
    var entry = outer
    while let present = entry {
      guard present.pointee.gate != ObjectIdentifier(self) else {
        throw StoreError.failed(
          "\(file) is used inside one of its blocks, which would deadlock; use the block's argument")
      }
      entry = present.pointee.outer
    }
    return try withUnsafePointer(to: Entry(gate: ObjectIdentifier(self), outer: outer)) { entry in
      pthread_setspecific(Self.entries, entry)
      defer { pthread_setspecific(Self.entries, outer) }
      return try body()
    }
  }
}
