import Foundation
import ObjectGraph
import TestSupport

/// A measurement of this process's memory while it reads 100,000 objects: `scripts/lab graph-memory`.
///
///     graph-memory                     writes a store, and prints a line for each way; exit 1 if a bound is missed
///     graph-memory write FILE COUNT    writes COUNT students
///     graph-memory walk FILE WAY       reads every value of every student, and prints two numbers of KiB: at the
///                                      start, and the greatest up to the end
enum GraphMemory {
  static func run(_ arguments: [String]) throws {
    switch (arguments.first, arguments.count) {
    case (nil, _): exit(try table(count: 100_000) ? 0 : 1)
    case ("write", 3):
      guard let count = Int(arguments[2]), count > 0 else { fail("COUNT must be a number above 0", 64) }
      try write(arguments[1], count: count)
    case ("walk", 3):
      guard let way = Way(rawValue: arguments[2]) else {
        fail("WAY must be one of \(Way.allCases.map(\.rawValue).joined(separator: ", "))", 64)
      }
      try walk(arguments[1], way)
    default: fail("say: nothing, write FILE COUNT, or walk FILE WAY", 64)
    }
  }

  /// Returns the anonymous memory of the process in KiB: its heap and stacks, without the pages of files.
  private static func anonymousMemory() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    for line in text.split(separator: "\n") where line.hasPrefix("Anonymous:") {
      if let number = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) { return number }
    }
    fail("/proc/self/smaps_rollup has no line of anonymous memory", 70)
  }

  private static func open(_ path: String) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(try Students.model())
    try coordinator.addPersistentStore(.sqlite, at: URL(fileURLWithPath: path))
    return ManagedObjectContext(coordinator, .confinement)
  }

  private static func write(_ path: String, count: Int) throws {
    let context = try open(path)
    for number in 0..<count {
      let student = try context.insert(Student.self)
      student.studentId = "\(number)"
      student.studentName = "Student \(number)"
      student.studentDes = String(repeating: "x", count: 100)
      if number % 10_000 == 9_999 {
        try context.save()
        context.reset()
      }
    }
    try context.save()
  }

  private static func walk(_ path: String, _ way: Way) throws {
    let context = try open(path)
    let start = try anonymousMemory()
    var greatest = start
    var (count, sum) = (0, 0)
    func look(_ student: Student) throws {
      guard let number = Int(student.studentId), student.studentName == "Student \(number)",
        student.studentDes?.utf8.count == 100, student.studentPwd == nil
      else { fail("\(student.objectID) is not as it was written", 65) }
      count += 1
      sum += number
      if way != .all { try context.refresh(student, mergeChanges: false) }
      // In the middle of a batch, which is entirely in memory.
      if count % 100 == 50 { greatest = max(greatest, try anonymousMemory()) }
    }
    let request = FetchRequest<Student>()
    request.fetchBatchSize = 100
    var held: [Student] = []
    if way == .all {
      held = try context.fetch(request)
      for student in held { try look(student) }
    } else {
      for student in try context.fetchInBatches(request) {
        try look(student)
        if way == .faults { held.append(student) }
      }
    }
    let all = try context.count(for: request)
    guard count == all, sum == count * (count - 1) / 2 else { fail("\(count) students seen of \(all)", 65) }
    print(start, max(greatest, try anonymousMemory()))
    withExtendedLifetime(held) {}
  }

  /// Runs this task in a new process, because memory that was used once would distort the next figure.
  private static func output(_ arguments: String...) throws -> String {
    let result = try runProgram(["/proc/self/exe", task] + arguments)
    FileHandle.standardError.write(Data(result.errors.utf8))
    guard result.status == 0 else { exit(result.status) }
    return result.output
  }

  private static func table(count: Int) throws -> Bool {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("graph-memory-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("store.db").path
    _ = try output("write", path, "\(count)")
    print("Anonymous memory above the start, looking at \(count) objects:")
    var isKept = true
    for way in Way.allCases {
      let numbers = try output("walk", path, way.rawValue).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      guard numbers.count == 2 else { fail("'walk' printed no two numbers", 70) }
      let greatest = numbers[1] - numbers[0]
      var line = way.title.padding(toLength: 40, withPad: " ", startingAt: 0)
      line += String(format: "at most %6.1f MB", Double(greatest) / 1_024)
      if let bound = way.bound {
        line += greatest <= bound ? "  ok, bound \(bound / 1_024) MB" : "  MISSED, bound \(bound / 1_024) MB"
        isKept = isKept && greatest <= bound
      }
      print(line)
    }
    return isKept
  }
}

private enum Way: String, CaseIterable {
  /// A hundred rows at a time. Each object is turned back into a fault after it was read.
  case batches
  /// The same, with every object retained.
  case faults
  /// All rows at once, without faults.
  case all

  var title: String {
    switch self {
    case .batches: "in batches of 100, faults turned back"
    case .faults: "the same, every fault held"
    case .all: "unbatched"
    }
  }

  /// The bound in KiB above the start, if any.
  var bound: Int? { self == .batches ? 20 * 1_024 : nil }
}
