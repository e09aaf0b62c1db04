import Dispatch
import Foundation
import ObjectGraph
import TestSupport
import Synchronization
import Testing

/// Semantic 30: contexts read from a SQLite store at the same time, and beside one save.
@Suite struct ConnectionPoolTests {
  private final class Order: Sendable {
    private let steps = Mutex<[String]>([])
    func add(_ step: String) { steps.withLock { $0.append(step) } }
    var all: [String] { steps.withLock { $0 } }
  }

  /// Stops the first statement with a prefix until it is released.
  private final class Barrier: Sendable {
    private let prefix: String
    private let isArmed = Atomic(false)
    private let reached = DispatchSemaphore(value: 0)
    private let free = DispatchSemaphore(value: 0)
    init(_ prefix: String) { self.prefix = prefix }

    func arm() { isArmed.store(true, ordering: .releasing) }

    @Sendable func pass(_ trace: SQLTrace) {
      guard trace.sql.hasPrefix(prefix), isArmed.exchange(false, ordering: .acquiringAndReleasing) else { return }
      reached.signal()
      // In a deadlock the test fails and does not hang.
      _ = free.wait(timeout: .now() + 10)
    }

    func wait() -> Bool { reached.wait(timeout: .now() + 10) == .success }
    func letGo() { free.signal() }
  }

  private func open(_ options: StoreOptions = StoreOptions(), _ type: StoreType = .sqlite, count: Int) throws -> Stack {
    let stack = try Stack(type, options: options)
    try fill(stack.coordinator, count)
    return stack
  }

  private func fill(_ coordinator: PersistentStoreCoordinator, _ count: Int) throws {
    let context = ManagedObjectContext(coordinator, .confinement)
    for number in 0..<count { _ = try context.student("S\(number)") }
    try context.save()
  }

  @Test("33: reads begin and end while a commit is under way, and show the state before it (fact 1)")
  func besideWriter() throws {
    let (barrier, order) = (Barrier("INSERT INTO ZSTUDENTS"), Order())
    let stack = try open(StoreOptions().with { $0.sqlTrace = barrier.pass }, count: 10)
    let coordinator = stack.coordinator
    let reading = ManagedObjectContext(coordinator, .confinement)
    let held = try #require(try reading.fetch(FetchRequest<Student>(limit: 1)).first)
    barrier.arm()
    let finish = startThread {
      let writing = ManagedObjectContext(coordinator, .confinement)
      for number in 10..<20 { _ = try writing.student("S\(number)") }
      order.add("commit begins")
      try writing.save()
      order.add("commit ends")
    }
    #expect(barrier.wait())
    order.add("reads begin")
    let counts = [
      try reading.fetch(FetchRequest<Student>()).count, try reading.studentCount(),
      held.scores.count, held.courses.count,
    ]
    order.add("reads end")
    barrier.letGo()
    try finish()
    #expect(order.all == ["commit begins", "reads begin", "reads end", "commit ends"])
    #expect(counts == [10, 10, 0, 0])
    #expect(try reading.studentCount() == 20)
  }

  @Test("33: two fetches are under way at the same time, if the pool has two connections (fact 2)", arguments: [2, 1])
  func twoReaders(_ size: Int) throws {
    let (barrier, order) = (Barrier("SELECT 0, t0.Z_PK"), Order())
    let options = StoreOptions().with { ($0.sqlTrace, $0.connectionPoolSize) = (barrier.pass, size) }
    let stack = try open(options, count: 10)
    let coordinator = stack.coordinator
    @Sendable func fetch(_ name: String) throws {
      let count = try ManagedObjectContext(coordinator, .confinement).fetch(FetchRequest<Student>()).count
      #expect(count == 10)
      order.add("\(name) ends")
    }
    barrier.arm()
    let first = startThread { try fetch("first") }
    #expect(barrier.wait())
    let second = startThread {
      try fetch("second")
      barrier.letGo()
    }
    if size == 1 {
      // The second one waits for the only connection.
      Thread.sleep(forTimeInterval: 0.05)
      #expect(order.all == [])
      barrier.letGo()
    }
    try first()
    try second()
    // The first one is held up in its statement until the second one has ended.
    if size > 1 { #expect(order.all == ["second ends", "first ends"]) } else { #expect(order.all.count == 2) }
  }

  @Test("33: a thread keeps its connection, and a context sees its own save, beside other readers")
  func warmConnection() throws {
    let stack = try Stack()
    let (coordinator, directory) = (stack.coordinator, stack.directory.path)
    let files = { () throws -> Int in
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        return target?.hasSuffix("store.db") == true && target?.hasPrefix(directory) == true
      }
    }
    let context = ManagedObjectContext(coordinator, .confinement)
    for number in 0..<100 {
      let student = try context.savedStudent("S\(number)")
      student.studentDes = "changed"
      try context.save()
      #expect(try context.count(for: FetchRequest<Student>(where: Property("studentDes") == "changed")) == number + 1)
    }
    // One thread needs one connection.
    #expect(try files() == 1)
    let threads = (0..<6).map { worker in
      startThread {
        let context = ManagedObjectContext(coordinator, .confinement)
        for number in 0..<20 {
          try context.savedStudent("T\(worker)-\(number)")
          let own = Property("studentId").begins(with: "T\(worker)-")
          let count = try context.count(for: FetchRequest<Student>(where: own))
          #expect(count == number + 1)
        }
      }
    }
    for finish in threads { try finish() }
    #expect(try context.studentCount() == 220)
    #expect(try files() <= StoreOptions().connectionPoolSize + 1)
  }

  @Test("33: closing a store waits for readers, and later requests are errors", arguments: Stack.types)
  func closing(_ type: StoreType) throws {
    let stack = try open(StoreOptions(), type, count: 500)
    let coordinator = stack.coordinator
    let begun = DispatchSemaphore(value: 0)
    let threads = (0..<3).map { _ in
      startThread {
        let context = ManagedObjectContext(coordinator, .confinement)
        var count = 0
        while true {
          do {
            let found = try context.fetch(FetchRequest<Student>()).count
            #expect(found == 500)
          } catch let error as ObjectGraphError {
            #expect("\(error)".contains("open"))
            #expect(count > 0)
            return
          }
          count += 1
          if count == 1 { begun.signal() }
        }
      }
    }
    for _ in threads { begun.wait() }
    try coordinator.remove(stack.store)
    // No connection is left: the log is written back and removed.
    if type == .sqlite { #expect(try stack.files(all: true).keys.sorted() == ["store.db"]) }
    for finish in threads { try finish() }
  }

  @Test("33: a checkpoint waits for readers, and is refused while a context is pinned")
  func settling() throws {
    let stack = try open(StoreOptions().with { $0.busyTimeout = .milliseconds(200) }, count: 100)
    let coordinator = stack.coordinator
    func size() throws -> Int { try stack.files()["store.db-wal"]?.count ?? -1 }
    #expect(try size() > 0)
    try coordinator.settle()
    #expect(try size() == 0)

    let context = ManagedObjectContext(coordinator, .confinement)
    try context.setQueryGenerationFrom(.current)
    try fill(coordinator, 100)
    #expect(try context.studentCount() == 200)
    try fill(coordinator, 100)
    let error = #expect(throws: ObjectGraphError.self) { try coordinator.settle() }
    guard case .busy? = error else { throw error ?? ObjectGraphError.invalidRequest("") }
    #expect("\(error as Any)".contains("unpin"))
    #expect(try context.studentCount() == 200)
    try context.setQueryGenerationFrom(nil)
    try coordinator.settle()
    #expect(try size() == 0)
    #expect(try context.studentCount() == 300)
  }

  @Test("33: performAndWait of the coordinator keeps others' requests and saves out (fact 3)", arguments: Stack.types)
  func keepingOut(_ type: StoreType) throws {
    let stack = try open(StoreOptions(), type, count: 10)
    let (coordinator, order) = (stack.coordinator, Order())
    let own = ManagedObjectContext(coordinator, .confinement)
    let threads = try coordinator.performAndWait {
      let threads = [
        startThread {
          _ = try ManagedObjectContext(coordinator, .confinement).fetch(FetchRequest<Student>())
          order.add("read")
        },
        startThread {
          try fill(coordinator, 10)
          order.add("saved")
        },
      ]
      Thread.sleep(forTimeInterval: 0.05)
      // The block itself may do everything.
      #expect(try own.studentCount() == 10)
      try coordinator.performAndWait { _ = try own.savedStudent("own") }
      #expect(try own.studentCount() == 11)
      order.add("inside")
      return threads
    }
    for finish in threads { try finish() }
    #expect(order.all.first == "inside" && order.all.count == 3)
    #expect(try own.studentCount() == 21)
  }
}
