import Foundation
import ObjectGraph
import SampleModels
import Synchronization

// Another process for the object graph's tests:
//
//   graph-child count FILE                       prints how many students the store holds
//   graph-child save FILE COUNT BYTES [NUMBER]   saves COUNT students, each with BYTES of text, in one save
//
// While it saves, it prints "saving" before and "saved <microseconds>" afterwards. With a NUMBER it kills itself once
// the NUMBERth statement of the save has run.

func fail(_ sentence: String, _ code: Int32) -> Never {
  FileHandle.standardError.write(Data("graph-child: \(sentence)\n".utf8))
  exit(code)
}

func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Counts statements down, and kills the process at the last one.
final class Fuse: Sendable {
  private let left = Mutex(Int.max)

  func light(_ count: Int) { left.withLock { $0 = count } }

  @Sendable func trace(_: SQLTrace) {
    left.withLock {
      $0 -= 1
      if $0 == 0 { kill(getpid(), SIGKILL) }
    }
  }
}

func open(_ path: String, _ options: StoreOptions) throws -> ManagedObjectContext {
  let coordinator = PersistentStoreCoordinator(try Students.model())
  try coordinator.addPersistentStore(.sqlite, at: URL(fileURLWithPath: path), options: options)
  return ManagedObjectContext(coordinator, .confinement)
}

func save(_ path: String, count: Int, bytes: Int, statements: Int?) throws {
  let fuse = Fuse()
  var options = StoreOptions()
  if statements != nil { options.sqlTrace = fuse.trace }
  let context = try open(path, options)
  for number in 1...count {
    let student = try context.insert(Student.self)
    student.studentId = "S\(number)"
    student.studentName = "Student \(number)"
    student.studentDes = String(repeating: "x", count: bytes)
  }
  say("saving")
  if let statements { fuse.light(statements) }
  let duration = try ContinuousClock().measure { try context.save() }
  say("saved \(Int(duration / .microseconds(1)))")
}

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.dropFirst(2).map(Int.init)
do {
  switch (arguments.first, numbers.count) {
  case ("count", 0) where arguments.count == 2:
    let context = try open(arguments[2], StoreOptions())
    say("\(try context.count(for: FetchRequest<Student>()))")
  case ("save", 2...3):
    guard let count = numbers[0], let bytes = numbers[1], count > 0, numbers.allSatisfy({ $0 != nil }) else {
      fail("COUNT, BYTES and NUMBER are numbers", 64)
    }
    try save(arguments[2], count: count, bytes: bytes, statements: numbers.count == 3 ? numbers[2] : nil)
  default: fail("say: count FILE, or: save FILE COUNT BYTES [NUMBER]", 64)
  }
} catch {
  fail("\(error)", 74)
}
