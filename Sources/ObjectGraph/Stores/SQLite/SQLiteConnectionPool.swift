import Foundation

/// A pool of connections to the database of one store. Each request borrows a connection, if possible the one that its
/// thread used last.
final class SQLiteConnectionPool {
  private let lock = NSCondition()
  private let limit: Int
  private let open: () throws -> StoreConnection
  /// The open connections that no thread is using. The most recently used connection is the last one.
  private var idle: [StoreConnection]
  private var readers = 0
  private var waiting = 0
  private var isWriting = false
  private var writer: StoreConnection?
  private var snapshots: [Weak] = []
  private var isClosed = false
  /// Whether ``close()`` has closed all unused connections. A connection returned later is closed at once.
  private var isDrained = false
  private let file: String

  private struct Weak {
    weak var snapshot: SQLiteSnapshot?
  }

  /// Creates a pool with the connection `first`, for at most `limit` simultaneous reads. `open` opens further
  /// connections.
  init(_ first: StoreConnection, limit: Int, open: @escaping () throws -> StoreConnection) {
    idle = [first]
    file = first.database.file
    self.limit = max(limit, 1)
    self.open = open
  }

  var snapshotCount: Int { lock.withLock { present }.count }

  /// The snapshots in use. Release this array only after unlocking `lock`, because the deinitializer of a snapshot
  /// locks `lock`.
  private var present: [SQLiteSnapshot] { snapshots.compactMap(\.snapshot) }

  /// Returns a connection for a read, to be passed to ``giveBack(_:)``. A thread that is saving gets the connection of
  /// its save.
  func borrow() throws -> StoreConnection {
    lock.lock()
    if let writer, pthread_equal(writer.thread, pthread_self()) != 0 {
      lock.unlock()
      return writer
    }
    while !isClosed, readers >= limit { wait() }
    readers += 1
    return try take { self.readers -= 1 }
  }

  func borrowWriter() throws -> StoreConnection {
    lock.lock()
    while !isClosed, isWriting { wait() }
    isWriting = true
    let connection = try take { self.isWriting = false }
    lock.withLock { writer = connection }
    return connection
  }

  /// Returns an idle or a new connection, and unlocks `lock`. If no connection can be opened, `undo` reverts the
  /// caller's change, such as of `readers`.
  @inline(__always)
  private func take(orUndo undo: () -> Void) throws -> StoreConnection {
    let thread = pthread_self()
    if !isClosed, !idle.isEmpty {
      let index = idle.count == 1 ? 0 : idle.lastIndex { pthread_equal($0.thread, thread) != 0 } ?? idle.count - 1
      let connection = idle.remove(at: index)
      lock.unlock()
      connection.thread = thread
      return connection
    }
    let isClosed = isClosed
    lock.unlock()
    do {
      guard !isClosed else { throw ObjectGraphError.store(file: file, "the store is not open any more") }
      return try open()
    } catch {
      lock.withLock {
        undo()
        lock.broadcast()
      }
      throw error
    }
  }

  private func wait() {
    waiting += 1
    lock.wait()
    waiting -= 1
  }

  func giveBack(_ connection: StoreConnection) {
    lock.lock()
    guard connection !== writer else { return lock.unlock() }
    readers -= 1
    put(connection)
  }

  func giveBackWriter(_ connection: StoreConnection) {
    lock.lock()
    isWriting = false
    writer = nil
    put(connection)
  }

  /// Puts a connection back into the pool, or closes a surplus one. Also releases the lock of the pool.
  @inline(__always)
  private func put(_ connection: StoreConnection) {
    // Keeps at most 2 × limit + 1 idle connections: `limit` each for reads and pinned contexts, one for a writer. A
    // waiting ``close()`` gets all connections.
    let isWanted = !connection.database.isInTransaction && (isClosed ? !isDrained : idle.count <= 2 * limit)
    if isWanted { idle.append(connection) }
    if waiting > 0 { lock.broadcast() }
    lock.unlock()
    if !isWanted { try? connection.close() }
  }

  // MARK: - Pinned states

  /// Returns an object that keeps the newest state of the store readable after later saves. The object reserves a
  /// connection.
  func snapshot() throws -> SQLiteSnapshot {
    lock.lock()
    let connection = try take {}
    // If the transaction cannot be started, the deinitializer of the snapshot gives the connection back.
    let snapshot = SQLiteSnapshot(connection, self)
    try connection.beginReading()
    let (isClosed, others) = lock.withLock {
      let others = present
      snapshots = (others + [snapshot]).map { Weak(snapshot: $0) }
      return (self.isClosed, others)
    }
    withExtendedLifetime(others) {}
    if isClosed { snapshot.end() }
    return snapshot
  }

  fileprivate func giveBackSnapshot(_ connection: StoreConnection) {
    connection.rollback()
    lock.lock()
    put(connection)
  }

  // MARK: - Closing

  /// Waits for running reads and saves, then closes all connections. Contexts can no longer read earlier states of the
  /// store.
  func close() throws {
    let kept = lock.withLock {
      isClosed = true
      lock.broadcast()
      return present
    }
    for snapshot in kept { snapshot.end() }
    lock.lock()
    while readers > 0 || isWriting { wait() }
    let connections = idle
    idle = []
    isDrained = true
    lock.unlock()
    // Closing the last connection makes SQLite run a checkpoint and remove the log.
    var failure: (any Error)?
    for connection in connections {
      do { try connection.close() } catch { failure = error }
    }
    if let failure { throw failure }
  }
}

/// An earlier state of a store. An open read transaction keeps this state readable.
final class SQLiteSnapshot: PinnedSnapshot {
  private let lock = NSRecursiveLock()
  private let pool: SQLiteConnectionPool
  private var connection: StoreConnection?

  fileprivate init(_ connection: StoreConnection, _ pool: SQLiteConnectionPool) {
    self.connection = connection
    self.pool = pool
  }

  deinit { end() }

  func borrow() throws -> any StoreReader {
    lock.lock()
    if let connection { return connection }
    lock.unlock()
    throw ObjectGraphError.invalidRequest(
      "the context is pinned to a query generation of a store that is not open any more; unpin it")
  }

  func giveBack() { lock.unlock() }

  fileprivate func end() {
    if let connection = lock.withLock({ self.connection.take() }) { pool.giveBackSnapshot(connection) }
  }
}
