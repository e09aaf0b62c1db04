import Foundation

/// A lock with many shared holders or one exclusive holder. A waiting exclusive holder goes before shared ones that
/// came later: otherwise, many readers would never let a writer in.
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
