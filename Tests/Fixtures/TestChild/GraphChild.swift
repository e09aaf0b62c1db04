import Foundation
import ObjectGraph
import Synchronization
import TestSupport

/// A second process for the tests of the object graph. It performs one operation on a store of the students model:
///
///     graph-child TYPE FILE count             prints how many students there are
///     graph-child TYPE FILE change ID TEXT    gives the student of this studentId another text
///     graph-child TYPE FILE delete ID         deletes the student
///     graph-child TYPE FILE crowd [NUMBER]    saves the changes of Crowd; prints "saving" before and
///                                           "saved <microseconds> <statements>" afterwards; with a NUMBER it kills
///                                           itself once that many statements of the save have run
///
/// TYPE is sqlite, binary or xml, with -full for saves that survive a power cut.
enum GraphChild {
  static func run(_ arguments: [String]) throws {
    guard arguments.count > 2 else { fail("say: TYPE FILE count | change ID TEXT | delete ID | crowd [NUMBER]", 64) }
    let fuse = Fuse()
    let context = try open(arguments[0], arguments[1], fuse)
    let rest = Array(arguments.dropFirst(3))
    switch (arguments[2], rest.count) {
    case ("count", 0): say("\(try context.count(for: FetchRequest<Student>()))")
    case ("change", 2):
      try student(rest[0], context).studentDes = rest[1]
      try context.save()
    case ("delete", 1):
      try context.delete(try student(rest[0], context))
      try context.save()
    case ("crowd", 0...1):
      guard let last = rest.isEmpty ? Int.max : Int(rest[0]) else { fail("'\(rest[0])' is no number", 64) }
      try Crowd.change(context)
      say("saving")
      fuse.light(last)
      let duration = try ContinuousClock().measure { try context.save() }
      say("saved \(Int(duration / .microseconds(1))) \(fuse.ran)")
    default: fail("'\(arguments[2])' with \(rest.count) arguments means nothing", 64)
    }
  }

  private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  private static func open(_ name: String, _ path: String, _ fuse: Fuse) throws -> ManagedObjectContext {
    var options = StoreOptions()
    options.sqlTrace = fuse.trace
    let isFull = name.hasSuffix("-full")
    guard let type = StoreType(rawValue: isFull ? String(name.dropLast(5)) : name) else {
      fail("there is no store of type '\(name)'", 64)
    }
    if isFull { options.synchronous = .full }
    let coordinator = PersistentStoreCoordinator(try Students.model())
    try coordinator.addPersistentStore(type, at: URL(fileURLWithPath: path), options: options)
    return ManagedObjectContext(coordinator, .confinement)
  }

  private static func student(_ id: String, _ context: ManagedObjectContext) throws -> Student {
    let found = try context.fetch(FetchRequest<Student>(where: Property("studentId") == id))
    guard found.count == 1 else { fail("there are \(found.count) students with the ID '\(id)'", 65) }
    return found[0]
  }
}

/// A counter of statements that kills the process after one of them.
private final class Fuse: Sendable {
  private let state = Mutex((ran: 0, last: Int.max))

  var ran: Int { state.withLock { $0.ran } }

  func light(_ last: Int) { state.withLock { $0 = (0, last) } }

  @Sendable func trace(_: SQLTrace) {
    state.withLock {
      $0.ran += 1
      if $0.ran == $0.last { kill(getpid(), SIGKILL) }
    }
  }
}
