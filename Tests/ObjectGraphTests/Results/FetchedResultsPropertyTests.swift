import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 23 as a property: for any edits, here or in another context whose saves are merged, a table that receives
/// only the events shows the result of a fresh fetch.
@Suite struct FetchedResultsPropertyTests {
  @Test("23: random edits in two stores, replayed from the events, equal a fresh sorted fetch", arguments: 1...2)
  func edits(seed: Int) throws {
    let stack = try Stack(seed % 2 == 0 ? .inMemory : .sqlite)
    let editor = ResultsEditor(stack, seed: UInt64(seed))
    let context = stack.context
    let byClass = try ResultsCheck(
      context,
      FetchRequest(
        "Students", where: Property("studentName") >= "c",
        sortedBy: [
          SortKey("student_class.classNames", ascending: seed == 1), SortKey("studentName"),
          SortKey("studentId", ascending: false),
        ]), section: "student_class.classNames")
    let byCourse = try ResultsCheck(
      context,
      FetchRequest(
        "Students",
        where: .any("student_course.courseName") == "a" || Property("student_class.classNames") == "b",
        sortedBy: [SortKey("studentName")]))
    let byScore = try ResultsCheck(
      context,
      FetchRequest(
        "Scores", where: Property("score") > 30,
        sortedBy: [SortKey("score"), SortKey("score_student.student_class.classNames", ascending: false)]),
      section: "score")
    let some = try ResultsCheck(
      context, FetchRequest("Students", sortedBy: [SortKey("studentName")], limit: 7, offset: 3))
    while editor.edits < repetitions(1_500) {
      try editor.event()
      for check in [byClass, byCourse, byScore, some] {
        try check.check("seed \(seed), edit \(editor.edits): \(editor.log.joined(separator: ", "))")
      }
    }
    // Each kind of event has come often enough to mean something.
    for kind in ["insert", "delete", "move", "update", "insert section", "delete section"] {
      #expect(byClass.mirror.counts[kind, default: 0] > 5, "\(kind)")
      #expect(byScore.mirror.counts[kind, default: 0] > 5, "\(kind)")
    }
    for kind in ["insert", "delete", "move", "update"] {
      #expect(byCourse.mirror.counts[kind, default: 0] > 5, "\(kind)")
      #expect(some.mirror.counts[kind, default: 0] > 1, "\(kind)")
    }
  }
}

/// A controller with the table that follows it.
private final class ResultsCheck {
  let controller: FetchedResultsController<ManagedObject>
  let mirror = ResultsMirror<ManagedObject> { "\($0.objectID)" }
  private let sectionKey: String?

  init(_ context: ManagedObjectContext, _ request: FetchRequest<ManagedObject>, section: String? = nil) throws {
    sectionKey = section
    controller = FetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section)
    try mirror.follow(controller)
  }

  /// Objects with what they stand where they do by.
  private func lines(_ objects: [ManagedObject]) -> [String] {
    objects.map { object in
      let keys = controller.fetchRequest.sortKeys.map { (try? value(object, $0.path)) ?? "?" }
      return ([object.objectID.uriRepresentation.lastPathComponent] + keys).joined(separator: " ")
    }
  }

  /// The value at the end of a path; none over an object that is deleted.
  private func value(_ object: ManagedObject, _ path: String) throws -> String {
    guard let dot = path.firstIndex(of: ".") else { return try object.value(forKey: path).map { "\($0)" } ?? "" }
    guard let next = try object.value(forKey: String(path[..<dot])) as? ManagedObject, !next.isDeleted else {
      return ""
    }
    return try value(next, String(path[path.index(after: dot)...]))
  }

  func check(_ what: @autoclosure () -> String) throws {
    let fresh = try controller.managedObjectContext.fetch(controller.fetchRequest)
    try require(mirror.objects == fresh, "\(what()), not \(lines(fresh))")
    let sections = controller.sections ?? []
    try require(controller.fetchedObjects == fresh && sections.map(\.name) == mirror.sections.map(\.name), what())
    for (index, section) in mirror.sections.enumerated() {
      try require(sections[index].objects == section.objects, what())
      for (item, object) in section.objects.enumerated() {
        let path = IndexPath(item: item, section: index)
        try require(controller.indexPath(forObject: object) == path && controller.object(at: path) === object, what())
        if let sectionKey { try require(try value(object, sectionKey) == section.name, what()) }
      }
    }
  }

  /// An expectation without what `#expect` does to explain itself: there are millions of them.
  private func require(_ isSo: Bool, _ what: @autoclosure () -> String, line: Int = #line) throws {
    guard !isSo else { return }
    Issue.record("\(what()), line \(line): \(lines(mirror.objects)); \(mirror.events)")
    throw CancellationError()
  }
}
