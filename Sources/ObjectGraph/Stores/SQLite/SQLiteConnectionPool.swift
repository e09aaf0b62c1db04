import Foundation

/// The connections to one store's database, which are opened when needed. Each thread borrows a connection for a
/// request, preferably the one it used last, because the connection's pages and statements are cached.
///
/// With a write-ahead log, several readers and one writer work at the same time, each on a separate connection.
final class SQLiteConnectionPool {
  private let lock = NSCondition()
  private let limit: Int
  private let open: () throws -> StoreConnection
  /// The open connections that no thread has borrowed. The one that was used last is at the end.
  private var idle: [StoreConnection]
  private var readers = 0
  private var waiting = 0
  private var isWriting = false
  private var writer: StoreConnection?
  private var snapshots: [Weak] = []
  private var isClosed = false
  /// Whether ``close()`` has closed all idle connections. A connection that is returned later is closed at once.
  private var isDrained = false
  private let file: String

  private struct Weak {
    weak var snapshot: SQLiteSnapshot?
  }

  /// Creates a pool of connections with the open connection `first`. At most `limit` threads read at the same time.
  /// `open` opens further connections.
  init(_ first: StoreConnection, limit: Int, open: @escaping () throws -> StoreConnection) {
    idle = [first]
    file = first.database.file
    self.limit = max(limit, 1)
    self.open = open
  }

  var snapshotCount: Int { lock.withLock { present }.count }

  /// The earlier states of the store that are kept for contexts. The caller must release the array only after it has
  /// released `lock`, because the release of a state's last reference acquires the same lock.
  private var present: [SQLiteSnapshot] { snapshots.compactMap(\.snapshot) }

  /// Returns a connection for a read, to be returned with ``giveBack(_:)``. A thread that is saving gets the connection
  /// of its save.
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

  /// Takes an idle connection or opens one, and releases the pool's lock. The caller has already counted itself as a
  /// reader or as the writer. If no connection can be opened, `undo` reverts this count.
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

  /// Makes a returned connection idle, and releases the pool's lock. Closes the connection if there are enough idle
  /// ones, or if a failed rollback has left its transaction open.
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

  /// Returns the store's newest state, which stays readable despite later saves. A separate connection keeps the state,
  /// so that all others stay available to requests.
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

  /// Waits for running reads and saves, and closes all connections. Earlier states of the store, to which contexts may
  /// be pinned, can then no longer be read.
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

/// An earlier state of a store, kept by a connection with an open read transaction. Several contexts may use the state
/// one after the other.
final class SQLiteSnapshot: PinnedSnapshot {
  private let lock = NSRecursiveLock()
  private let pool: SQLiteConnectionPool
  private var connection: StoreConnection?

  fileprivate init(_ connection: StoreConnection, _ pool: SQLiteConnectionPool) {
    self.connection = connection
    self.pool = pool
  }

  deinit { end() }

  /// Returns the connection that keeps this state of the store. No other thread can use it until this thread calls
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
