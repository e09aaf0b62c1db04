import Foundation
import StorageContract

/// A gate that guards a store used by many threads. Each call runs as a block inside the gate, until the gate is
/// closed.
///
/// A block that entered its own store again would wait for itself, so the gate throws an error instead. Closing the
/// gate waits for the blocks that are inside.
final class StoreGate: @unchecked Sendable {
  private let file: String
  private let lock = ReadWriteLock()
  private var isClosed = false

  init(_ file: String) { self.file = file }

  /// Runs a block inside the store's gate. Throws ``StoreError/failed(_:)`` if the store is closed or the thread is
  /// already inside.
  ///
  /// - Parameter turn: A lock to take before entering the gate and to hold during the block, which admits one block at
  ///   a time.
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

  /// Runs the body while no other thread is inside the store's gate. The calling thread must be inside the gate.
  func alone<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.alonePausing(body) }

  /// Waits until no thread is inside the store's gate, runs the body and closes the gate. A second call does nothing.
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

  /// A gate that the current thread has entered. `outer` points to the entry for the gate that the thread entered
  /// before, which belongs to another store.
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
