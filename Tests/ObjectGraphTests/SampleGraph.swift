import Foundation
import ObjectGraph
import TestSupport

/// The models that random predicates are tried on, and random graphs of them: the same seed makes the same graph, and
/// the same keys, in every store.
enum SampleGraph: String, CaseIterable {
  case everything, students, people, countries

  func model() throws -> ManagedObjectModel {
    switch self {
    case .everything: try Everything.model()
    case .students: try Students.model()
    case .people: try People.model()
    case .countries: try Countries.model()
    }
  }

  func fill(_ context: ManagedObjectContext, _ random: inout SplitMix64) throws {
    switch self {
    case .everything: try Everything.fill(context, &random)
    case .students: try Self.fillStudents(context, &random)
    case .people: try Self.fillPeople(context, &random)
    case .countries: for _ in 0..<40 { try Everything.change(attributesOf: try context.insert("Country"), &random) }
    }
  }

  private static func fillStudents(_ context: ManagedObjectContext, _ random: inout SplitMix64) throws {
    let texts = Everything.texts.filter { !$0.isEmpty }
    let classes = try (0..<5).map { try context.schoolClass($0, Everything.pick(texts, &random)) }
    let courses = try (0..<6).map { try context.course($0, Everything.pick(texts, &random)) }
    for number in 0..<20 {
      let student = try context.student("S\(number / 2)", Everything.pick(texts, &random))
      if random.chance(60) { student.studentDes = Everything.pick(Everything.texts, &random) }
      if random.chance(75) { student.schoolClass = Everything.pick(classes, &random) }
      for course in courses where random.chance(30) {
        student.courses.insert(course)
        guard random.chance(60) else { continue }
        let score = try context.score(number, of: student, in: course, semester: random.chance(50) ? "1" : "2")
        score.score = Double(Int.random(in: 0...100, using: &random))
      }
    }
  }

  private static func fillPeople(_ context: ManagedObjectContext, _ random: inout SplitMix64) throws {
    let homes = try (0..<8).map { _ in try context.insert(HomeAddress.self) }
    for home in homes { try Everything.change(attributesOf: home, &random) }
    for _ in 0..<30 {
      let person = try context.insert(Person.self)
      try Everything.change(attributesOf: person, &random)
      if random.chance(80) { person.home = Everything.pick(homes, &random) }
    }
  }
}
