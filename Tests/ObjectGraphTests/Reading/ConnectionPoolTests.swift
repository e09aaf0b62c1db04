import Dispatch
import Foundation
import ObjectGraph
import TestSupport
import Synchronization
import Testing

/// Semantic 30: contexts read from a SQLite store at the same time, and beside one save.
@Suite struct ConnectionPoolTests {
  /// Steps in the order in which they happened, on whichever thread.
  private final class Order: Sendable {
    private let steps = Mutex<[String]>([])
    func add(_ step: String) { steps.withLock { $0.append(step) } }
    var all: [String] { steps.withLock { $0 } }
  }

  /// Holds up the first statement that starts with some text, until it is let go.
  private final class Barrier: Sendable {
    private let prefix: String
    private let isArmed = Mutex(false)
    private let reached = DispatchSemaphore(value: 0)
    private let free = DispatchSemaphore(value: 0)
    init(_ prefix: String) { self.prefix = prefix }

    func arm() { isArmed.withLock { $0 = true } }

    @Sendable func pass(_ trace: SQLTrace) {
      guard trace.sql.hasPrefix(prefix),
        isArmed.withLock({ isArmed in
          defer { isArmed = false }; return isArmed
        })
      else { return }
      reached.signal()
      // Where all wait for each other, the test is to fail and not to hang.
      _ = free.wait(timeout: .now() + 10)
    }

    func wait() -> Bool { reached.wait(timeout: .now() + 10) == .success }
    func letGo() { free.signal() }
  }

  /// Runs the block on a thread of its own.
  private func start(_ body: @escaping @Sendable () throws -> Void) -> @Sendable () throws -> Void {
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread {
      let result = Result { try body() }
      outcome.withLock { $0 = result }
      done.signal()
    }.start()
    return {
      done.wait()
      try outcome.withLock { $0 }?.get()
    }
  }

  private func open(
    _ directory: borrowing Directory, _ options: StoreOptions, _ type: StoreType = .sqlite
  ) throws -> (coordinator: PersistentStoreCoordinator, store: PersistentStore) {
    let coordinator = PersistentStoreCoordinator(try Students.model())
    let url = type == .inMemory ? nil : directory.url.appendingPathComponent("store.db")
    return (coordinator, try coordinator.addPersistentStore(type, at: url, options: options))
  }

  private func fill(_ coordinator: PersistentStoreCoordinator, _ count: Int) throws {
    let context = ManagedObjectContext(coordinator, .confinement)
    for number in 0..<count { _ = try context.student("S\(number)") }
    try context.save()
  }

  @Test("33: reads begin and end while a commit is under way, and show the state before it")
  func besideWriter() throws {
    let directory = try Directory()
    let (barrier, order) = (Barrier("INSERT INTO ZSTUDENTS"), Order())
    var options = StoreOptions()
    options.sqlTrace = barrier.pass
    let (coordinator, _) = try open(directory, options)
    try fill(coordinator, 10)
    let reading = ManagedObjectContext(coordinator, .confinement)
    let held = try #require(try reading.fetch(FetchRequest<Student>(limit: 1)).first)
    barrier.arm()
    let finish = start {
      let writing = ManagedObjectContext(coordinator, .confinement)
      for number in 10..<20 { _ = try writing.student("S\(number)") }
      order.add("commit begins")
      try writing.save()
      order.add("commit ends")
    }
    #expect(barrier.wait())
    order.add("reads begin")
    let counts = [
      try reading.fetch(FetchRequest<Student>()).count, try reading.count(for: FetchRequest<Student>()),
      held.scores.count, held.courses.count,
    ]
    order.add("reads end")
    barrier.letGo()
    try finish()
    #expect(order.all == ["commit begins", "reads begin", "reads end", "commit ends"])
    #expect(counts == [10, 10, 0, 0])
    #expect(try reading.count(for: FetchRequest<Student>()) == 20)
  }

  @Test("33: two fetches are under way at the same time", arguments: [2, 1])
  func twoReaders(_ size: Int) throws {
    let directory = try Directory()
    let (barrier, order) = (Barrier("SELECT 0, t0.Z_PK"), Order())
    var options = StoreOptions()
    options.sqlTrace = barrier.pass
    options.connectionPoolSize = size
    let (coordinator, _) = try open(directory, options)
    try fill(coordinator, 10)
    barrier.arm()
    let first = start {
      let context = ManagedObjectContext(coordinator, .confinement)
      let count = try context.fetch(FetchRequest<Student>()).count
      #expect(count == 10)
      order.add("first ends")
    }
    #expect(barrier.wait())
    let second = start {
      let context = ManagedObjectContext(coordinator, .confinement)
      let count = try context.fetch(FetchRequest<Student>()).count
      #expect(count == 10)
      order.add("second ends")
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

  @Test("33: a thread keeps its connection, and a context sees its own save, whoever else reads")
  func warmConnection() throws {
    let directory = try Directory()
    let (coordinator, _) = try open(directory, StoreOptions())
    let files = { () throws -> Int in
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        return target?.hasSuffix("store.db") == true && target?.hasPrefix(directory.url.path) == true
      }
    }
    let context = ManagedObjectContext(coordinator, .confinement)
    for number in 0..<100 {
      let student = try context.student("S\(number)")
      try context.save()
      student.studentDes = "changed"
      try context.save()
      #expect(try context.count(for: FetchRequest<Student>(where: Property("studentDes") == "changed")) == number + 1)
    }
    // One thread needs one connection.
    #expect(try files() == 1)
    let threads = (0..<6).map { worker in
      start {
        let context = ManagedObjectContext(coordinator, .confinement)
        for number in 0..<20 {
          let student = try context.student("T\(worker)-\(number)")
          try context.save()
          let own = Property("studentId").begins(with: "T\(worker)-")
          let count = try context.count(for: FetchRequest<Student>(where: own))
          #expect(count == number + 1)
          student.studentDes = "seen"
          try context.save()
          let seen = try context.fetch(FetchRequest<Student>(where: own && Property("studentDes") == "seen")).count
          #expect(seen == number + 1)
        }
      }
    }
    for finish in threads { try finish() }
    #expect(try context.count(for: FetchRequest<Student>()) == 220)
    #expect(try files() <= StoreOptions().connectionPoolSize + 1)
  }

  @Test("33: in stores that are no database, requests of several threads are right")
  func otherStores() throws {
    for type in [StoreType.binary, .xml, .inMemory] {
      let directory = try Directory()
      let (coordinator, _) = try open(directory, StoreOptions(), type)
      let threads = (0..<4).map { worker in
        start {
          let context = ManagedObjectContext(coordinator, .confinement)
          for number in 0..<10 {
            _ = try context.student("T\(worker)-\(number)")
            try context.save()
            let own = Property("studentId").begins(with: "T\(worker)-")
            let count = try context.fetch(FetchRequest<Student>(where: own)).count
            #expect(count == number + 1)
          }
        }
      }
      for finish in threads { try finish() }
      let context = ManagedObjectContext(coordinator, .confinement)
      #expect(try context.count(for: FetchRequest<Student>()) == 40)
    }
  }

  @Test(
    "33: whoever closes a store waits for those who read, and those who come later are told", arguments: Stack.types)
  func closing(_ type: StoreType) throws {
    let directory = try Directory()
    let (coordinator, store) = try open(directory, StoreOptions(), type)
    try fill(coordinator, 500)
    let begun = DispatchSemaphore(value: 0)
    let threads = (0..<3).map { _ in
      start {
        let context = ManagedObjectContext(coordinator, .confinement)
        var count = 0
        while true {
          do {
            let found = try context.fetch(FetchRequest<Student>()).count
            #expect(found == 500)
          } catch let error as ObjectGraphError {
            // A sentence that says what is the matter.
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
    try coordinator.remove(store)
    if type == .sqlite {
      // Nobody has the file open: the log is written back and gone.
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["store.db"])
    }
    for finish in threads { try finish() }
  }

  @Test("33: a checkpoint waits for those who read, and is refused while a context is pinned")
  func settling() throws {
    let directory = try Directory()
    var options = StoreOptions()
    options.busyTimeout = .milliseconds(200)
    let (coordinator, _) = try open(directory, options)
    try fill(coordinator, 100)
    let log = directory.url.appendingPathComponent("store.db-wal").path
    func size() throws -> Int { try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? -1 }
    #expect(try size() > 0)
    try coordinator.settle()
    #expect(try size() == 0)

    let context = ManagedObjectContext(coordinator, .confinement)
    try context.setQueryGenerationFrom(.current)
    try fill(coordinator, 100)
    #expect(try context.count(for: FetchRequest<Student>()) == 200)
    try fill(coordinator, 100)
    let error = #expect(throws: ObjectGraphError.self) { try coordinator.settle() }
    guard case .busy? = error else { throw error ?? ObjectGraphError.invalidRequest("") }
    #expect("\(error as Any)".contains("unpin"))
    #expect(try context.count(for: FetchRequest<Student>()) == 200)
    try context.setQueryGenerationFrom(nil)
    try coordinator.settle()
    #expect(try size() == 0)
    #expect(try context.count(for: FetchRequest<Student>()) == 300)
  }

  @Test("33: performAndWait of the coordinator keeps others' requests and saves out (fact 3)", arguments: Stack.types)
  func keepingOut(_ type: StoreType) throws {
    let directory = try Directory()
    let (coordinator, _) = try open(directory, StoreOptions(), type)
    try fill(coordinator, 10)
    let order = Order()
    let own = ManagedObjectContext(coordinator, .confinement)
    let threads = try coordinator.performAndWait {
      let threads = [
        start {
          _ = try ManagedObjectContext(coordinator, .confinement).fetch(FetchRequest<Student>())
          order.add("read")
        },
        start {
          try fill(coordinator, 10)
          order.add("saved")
        },
      ]
      Thread.sleep(forTimeInterval: 0.05)
      // Whoever is inside may do everything.
      #expect(try own.count(for: FetchRequest<Student>()) == 10)
      try coordinator.performAndWait {
        _ = try own.student("own")
        try own.save()
      }
      #expect(try own.count(for: FetchRequest<Student>()) == 11)
      order.add("inside")
      return threads
    }
    for finish in threads { try finish() }
    #expect(order.all.first == "inside" && order.all.count == 3)
    #expect(try own.count(for: FetchRequest<Student>()) == 21)
  }

  @Test("33: two readers do at least 1.5 times as much as one, on two processors")
  func throughput() throws {
    let directory = try Directory()
    let (coordinator, _) = try open(directory, StoreOptions())
    try fill(coordinator, 2_000)
    @Sendable func read() throws {
      let context = ManagedObjectContext(coordinator, .confinement)
      // No index helps: nearly all of it is SQLite's work.
      let request = FetchRequest<Student>(where: Property("studentName").contains("nobody"))
      for _ in 0..<150 { _ = try context.count(for: request) }
    }
    let delays = Mutex(0.0)
    /// How much more two threads do than one; nil where one of them had to wait for a processor, which is not the store's
    /// fault. For a lock a thread sleeps, which does not count as that.
    func factor(_ work: @escaping @Sendable () throws -> Void) throws -> Double? {
      @Sendable func noted() throws {
        let before = try secondsInQueue()
        try work()
        let delay = try secondsInQueue() - before
        delays.withLock { $0 += delay }
      }
      delays.withLock { $0 = 0 }
      let clock = ContinuousClock()
      let one = try clock.measure { try start(noted)() }
      let two = try clock.measure {
        let threads = [start(noted), start(noted)]
        for finish in threads { try finish() }
      }
      return delays.withLock { $0 } < 0.05 * (two / .seconds(1)) ? 2 * (one / two) : nil
    }
    try start(read)()
    var judged: [Double] = []
    for _ in 0..<8 where (judged.max() ?? 0) < 1.5 {
      // Other guests of the host take processors, too, and no queue shows it: threads that have nothing in common do no
      // better then.
      let around = try (factor(countUp), factor(read), factor(countUp))
      guard let before = around.0, let reading = around.1, let after = around.2 else { continue }
      if min(before, after) >= 1.8 || reading >= 1.5 { judged.append(reading) }
    }
    guard let best = judged.max() else { return print("two readers: not judged, 2 processors were never free") }
    #expect(best >= 1.5)
  }
}

/// Work of some milliseconds that touches no memory.
@Sendable private func countUp() {
  var state: UInt64 = 1
  for _ in 0..<1_000_000 { state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
  withExtendedLifetime(state) {}
}

/// How long this thread has been ready to run, and had no processor.
private func secondsInQueue() throws -> Double {
  let fields = try String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8).split(separator: " ")
  return try #require(fields.count > 1 ? Double(fields[1]) : nil) / 1e9
}

/// A directory of its own, removed in the end.
struct Directory: ~Copyable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("graph-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
