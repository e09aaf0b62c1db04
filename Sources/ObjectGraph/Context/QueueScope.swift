import Foundation

/// The contexts that a running block may use. If blocks of several contexts are nested, the innermost block may use all
/// these contexts.
final class QueueScope {
  private let context: ObjectIdentifier
  private let outer: QueueScope?

  private init(_ context: ManagedObjectContext, _ outer: QueueScope?) {
    self.context = ObjectIdentifier(context)
    self.outer = outer
  }

  /// The contexts that the current thread may use. Nil if the thread does not run a block on the queue of a context.
  static var current: QueueScope? {
    pthread_getspecific(key).map { Unmanaged<QueueScope>.fromOpaque($0).takeUnretainedValue() }
  }

  func contains(_ context: ManagedObjectContext) -> Bool {
    self.context == ObjectIdentifier(context) || outer?.contains(context) == true
  }

  /// Runs the block `body`, which uses a context, then ``ManagedObjectContext/processPendingChanges()``. The current
  /// thread must be the thread or queue of the context.
  ///
  /// - Parameter waiting: The scope of the outer block, which waits for `body`. Nil if there is no outer block.
  static func run<Result>(
    _ context: ManagedObjectContext, waiting: QueueScope?, _ body: () throws -> Result
  ) rethrows -> Result {
    let scope = QueueScope(context, waiting)
    let former = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(scope).toOpaque())
    defer {
      withExtendedLifetime(scope) {
        // An error of this call occurs again in the next save, which throws the error.
        try? context.processPendingChanges()
        pthread_setspecific(key, former)
      }
    }
    return try body()
  }

  private static let key = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
