import Foundation
import ObjectGraph
import TestSupport

/// A task that writes a store of the students model, to be read with sqlite3: `scripts/lab students-store FILE`.
enum StudentsStore {
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 1 else { fail("name one file to write", 64) }
    let url = URL(fileURLWithPath: arguments[0])
    guard !FileManager.default.fileExists(atPath: url.path) else {
      fail("\(url.path) exists; name another file or remove it", 64)
    }
    let coordinator = PersistentStoreCoordinator(try Students.model())
    let store = try coordinator.addPersistentStore(.sqlite, at: url)
    let context = ManagedObjectContext(coordinator, .confinement)
    let classes = try (1...3).map { number in
      let made = try context.insert(SchoolClass.self)
      made.classId = number
      made.classNames = "7\(["A", "B", "C"][number - 1])"
      return made
    }
    let courses = try ["数学", "Music", "Физика", "History"].enumerated().map { number, name in
      let made = try context.insert(Course.self)
      made.courseId = number + 1
      made.courseName = name
      return made
    }
    let students = try (1...12).map { number in
      let made = try context.insert(Student.self)
      made.studentId = "S\(100 + number)"
      made.studentName = "Student \(number)"
      made.schoolClass = classes[number % 3]
      made.courses = [courses[number % 4], courses[(number + 1) % 4]]
      return made
    }
    for (number, student) in students.enumerated() {
      for course in student.courses.sorted(by: { $0.courseId < $1.courseId }) {
        let score = try context.insert(Score.self)
        score.scoreId = number * 10 + course.courseId
        score.score = Double(60 + (number * 7 + course.courseId) % 40)
        score.semester = "2026-1"
        score.student = student
        score.course = course
      }
    }
    try context.save()
    // The first student is saved three more times, so that Z_OPT is 4; the second one is not saved again.
    for round in 1...3 {
      students[0].studentDes = "changed \(round) times"
      try context.save()
    }
    try coordinator.remove(store)
  }
}
