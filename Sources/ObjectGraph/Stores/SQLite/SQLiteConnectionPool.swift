import Foundation

/// A pool of connections to the database of one store. A thread borrows a connection for each request, if possible the
/// one that it used last. Each of several simultaneous requests uses a separate connection.
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
  /// Whether ``close()`` has closed all unused connections. A connection that is returned later is closed at once.
  private var isDrained = false
  private let file: String

  private struct Weak {
    weak var snapshot: SQLiteSnapshot?
  }

  /// Creates a pool that contains the connection `first`. At most `limit` threads can read at the same time. The
  /// function `open` opens further connections.
  init(_ first: StoreConnection, limit: Int, open: @escaping () throws -> StoreConnection) {
    idle = [first]
    file = first.database.file
    self.limit = max(limit, 1)
    self.open = open
  }

  var snapshotCount: Int { lock.withLock { present }.count }

  /// The snapshots (earlier states of the store) that contexts still read. Unlock `lock` before discarding this array.
  /// Otherwise, discarding a snapshot's last reference causes a deadlock.
  private var present: [SQLiteSnapshot] { snapshots.compactMap(\.snapshot) }

  /// Returns a connection for a read. After use, the connection must be passed to ``giveBack(_:)``. If the current
  /// thread is saving, the result is the connection of the save.
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

  /// Returns an unused connection of the pool or opens a new one, and unlocks the pool, which the caller must have
  /// locked. If no connection can be opened, calls `undo`, which cancels the caller's reservation. For example, `undo`
  /// decrements the number of running reads.
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
      guard !isClosed else { throw closed }
      return try open()
    } catch {
      lock.withLock {
        undo()
        lock.broadcast()
      }
      throw error
    }
  }

  private var closed: ObjectGraphError { .store(file: file, "the store is not open any more") }

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

  /// Puts a connection back into the pool, or closes it if it is not needed any more. Also releases the lock of the
  /// pool.
  @inline(__always)
  private func put(_ connection: StoreConnection) {
    // Keeps at most 2 × limit + 1 idle connections: `limit` for reads, `limit` for pinned contexts, one for a writer.
    // ``close()`` closes connections that are returned while it waits.
    let isWanted = !connection.database.isInTransaction && (isClosed ? !isDrained : idle.count <= 2 * limit)
    if isWanted { idle.append(connection) }
    if waiting > 0 { lock.broadcast() }
    lock.unlock()
    if !isWanted { try? connection.close() }
  }

  // MARK: - Pinned states

  /// Returns an object that keeps the store's newest state readable after later saves. A separate connection is
  /// reserved for this state.
  func snapshot() throws -> SQLiteSnapshot {
    lock.lock()
    let connection = try take {}
    do {
      try connection.beginReading()
    } catch {
      lock.lock()
      put(connection)
      throw error
    }
    let snapshot = SQLiteSnapshot(connection, self)
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

  /// Waits for running reads and saves, and then closes all connections. A context that is pinned to an earlier state
  /// of the store can no longer read this state.
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

/// An earlier state of a store, kept readable by a connection with an open read transaction. Only one context at a time
/// can read the state.
final class SQLiteSnapshot: PinnedSnapshot {
  private let lock = NSRecursiveLock()
  private let pool: SQLiteConnectionPool
  private var connection: StoreConnection?

  fileprivate init(_ connection: StoreConnection, _ pool: SQLiteConnectionPool) {
    self.connection = connection
    self.pool = pool
  }

  deinit { end() }

  /// Returns the connection that reads this state of the store. Other threads that call this method wait until
  /// ``giveBack()``.
  func borrow() throws -> StoreConnection {
    lock.lock()
    if let connection { return connection }
    lock.unlock()
    throw ObjectGraphError.invalidRequest(
      "the context is pinned to a query generation of a store that is not open any more; unpin it")
  }

  func giveBack() { lock.unlock() }

  fileprivate func end() {
    lock.lock()
    let connection = connection
    self.connection = nil
    lock.unlock()
    if let connection { pool.giveBackSnapshot(connection) }
  }
}
