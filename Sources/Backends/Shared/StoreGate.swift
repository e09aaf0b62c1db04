import Foundation
import StorageContract

/// A gate that keeps a store open while threads use it. Each use runs as a closure (block) inside the gate. A block
/// inside another block of the same store gets an error, because it would wait for itself.
final class StoreGate: @unchecked Sendable {
  private let file: String
  private let lock = ReadWriteLock()
  private var isClosed = false

  init(_ file: String) { self.file = file }

  /// Runs a block that uses the store, which stays open until the block ends. The lock `turn` lets one block run at a
  /// time. A block that waits for `turn` does not keep the store open.
  ///
  /// - Throws: ``StoreError/failed(_:)`` if the store is closed, or if the calling thread is already inside a block.
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

  /// Runs the body while no other thread uses the store. Must be called in a closure passed to ``pass(taking:_:)``. The
  /// access of this closure is suspended, so values that it has read before may be outdated.
  func alone<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.alonePausing(body) }

  /// Waits until no block is running, then runs the body, which closes the store. Later blocks get an error. A second
  /// call does nothing.
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

  /// An entry in the list of stores that the current thread is using. `outer` is the entry of the enclosing block, or
  /// nil.
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
