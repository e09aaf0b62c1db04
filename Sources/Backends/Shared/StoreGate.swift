import Foundation
import StorageContract

/// A gate that keeps a store open while threads run blocks (closures) that use the store. A block inside another block
/// of the store gets an error, not a deadlock.
final class StoreGate: @unchecked Sendable {
  private let file: String
  private let lock = ReadWriteLock()
  private var isClosed = false

  init(_ file: String) { self.file = file }

  /// Runs a closure that uses the store. The store cannot be closed meanwhile.
  ///
  /// - Parameter turn: A lock that is held while the closure runs, or nil.
  /// - Throws: ``StoreError/failed(_:)`` if the store is closed, or if this thread is already running such a closure.
  func pass<Result>(taking turn: NSLock? = nil, _ body: () throws -> Result) throws -> Result {
    try enter(taking: turn) {
      try lock.shared {
        guard !isClosed else { throw StoreError.failed("\(file) is closed") }
        return try body()
      }
    }
  }

  /// Waits until no other thread uses the store, then runs the body. Call only inside ``pass(taking:_:)``. Other
  /// threads may change the store just before and after the body.
  func alone<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.alonePausing(body) }

  /// Waits until no thread uses the store, then runs the body, which closes the store. Does nothing if the store is
  /// already closed.
  func close(taking turn: NSLock? = nil, _ body: () throws -> Void) throws {
    try enter(taking: turn) {
      try lock.alone {
        guard !isClosed else { return }
        try body()
        isClosed = true
      }
    }
  }

  /// An entry in the linked list of gates that the current thread has entered. `outer` is the entry of the gate that
  /// was entered before, or nil.
  private struct Entry {
    let gate: ObjectIdentifier
    let outer: UnsafePointer<Entry>?
  }

  private static let entries: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private func enter<Result>(taking turn: NSLock?, _ body: () throws -> Result) throws -> Result {
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
      turn?.lock()
      defer { turn?.unlock() }
      return try body()
    }
  }
}

/// A lock for many readers or one writer, not to be acquired twice. A waiting writer precedes new readers.
final class ReadWriteLock: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init() {
    var attributes = pthread_rwlockattr_t()
    pthread_rwlockattr_init(&attributes)
    #if os(Linux)
      pthread_rwlockattr_setkind_np(&attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
    #endif
    pthread_rwlock_init(lock, &attributes)
    pthread_rwlockattr_destroy(&attributes)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  func shared<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }

  func alone<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }

  /// Releases the caller's shared lock, runs the body with the exclusive lock, and acquires the shared lock again.
  /// Other threads may write just before and after the body.
  func alonePausing<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_unlock(lock)
    defer { pthread_rwlock_rdlock(lock) }
    return try alone(body)
  }
}
