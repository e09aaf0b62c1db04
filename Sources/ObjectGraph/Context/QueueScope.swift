import Foundation

/// The contexts that a thread may use: the context whose block the thread runs, and all contexts whose blocks wait for
/// the end of that block.
///
/// A block may therefore use a context that waits for the block, without waiting for the queue of that context. If the
/// block waited for the queue, the two contexts would deadlock.
final class QueueScope {
  private let context: ObjectIdentifier
  private let outer: QueueScope?

  private init(_ context: ManagedObjectContext, _ outer: QueueScope?) {
    self.context = ObjectIdentifier(context)
    self.outer = outer
  }

  /// The contexts that the current thread may use. Nil if it runs no block of a context. The value is thread-specific,
  /// because tasks inherit task-local values and run on other threads.
  static var current: QueueScope? {
    pthread_getspecific(key).map { Unmanaged<QueueScope>.fromOpaque($0).takeUnretainedValue() }
  }

  func contains(_ context: ManagedObjectContext) -> Bool {
    var scope: QueueScope? = self
    while let here = scope {
      if here.context == ObjectIdentifier(context) { return true }
      scope = here.outer
    }
    return false
  }

  /// Runs a block of a context on the current thread. The caller must already be on the thread or queue of the context.
  ///
  /// - Parameter waiting: The scope of the thread that waits for the block to end. Nil if none waits.
  static func run<Result>(
    _ context: ManagedObjectContext, waiting: QueueScope?, _ body: () throws -> Result
  ) rethrows -> Result {
    let scope = QueueScope(context, waiting)
    let former = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(scope).toOpaque())
    defer { pthread_setspecific(key, former) }
    return try withExtendedLifetime(scope, body)
  }

  private static let key = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
