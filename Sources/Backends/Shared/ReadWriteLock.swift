import Foundation

/// A lock for many readers or one writer. A waiting writer precedes new readers. A thread must not acquire the lock
/// twice.
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
