import Foundation

/// A lock that many threads may hold shared, or one alone. Whoever wants it alone comes before those who want it
/// shared and came later: many readers would otherwise never let a writer in.
///
/// - Important: A thread must not take it twice.
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

  /// Runs the body while others may hold the lock shared, too.
  func shared<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }

  /// Runs the body while no other thread holds the lock.
  func alone<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }

  /// Runs the body alone, called by a thread that holds the lock shared, and shares it again afterwards. In between
  /// others may have held it.
  func alonePausing<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_unlock(lock)
    defer { pthread_rwlock_rdlock(lock) }
    return try alone(body)
  }
}
