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
    let byClass = ResultsCheck(
      context,
      FetchRequest<Student>(
        where: Property("studentName") >= "c",
        sortedBy: [
          SortKey("student_class.classNames", ascending: seed == 1), SortKey("studentName"),
          SortKey("studentId", ascending: false),
        ]), section: "student_class.classNames")
    let byCourse = ResultsCheck(
      context,
      FetchRequest<Student>(
        where: .any("student_course.courseName") == "a" || Property("student_class.classNames") == "b",
        sortedBy: [SortKey("studentName")]))
    let byScore = ResultsCheck(
      context,
      FetchRequest<Score>(
        where: Property("score") > 30,
        sortedBy: [SortKey("score"), SortKey("score_student.student_class.classNames", ascending: false)]),
      section: "score")
    let some = ResultsCheck(context, FetchRequest<Student>(sortedBy: [SortKey("studentName")], limit: 7, offset: 3))
    let checks: [any Checkable] = [byClass, byCourse, byScore, some]
    for check in checks { try check.start() }
    while editor.edits < repetitions(1_500) {
      try editor.event()
      for check in checks {
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

private protocol Checkable {
  func start() throws
  func check(_ what: @autoclosure () -> String) throws
}

/// A controller with the table that follows it.
private final class ResultsCheck<Object: ManagedObject>: Checkable {
  let controller: FetchedResultsController<Object>
  let mirror = ResultsMirror<Object> { "\($0.objectID)" }
  private let sectionKey: String?

  init(_ context: ManagedObjectContext, _ request: FetchRequest<Object>, section: String? = nil) {
    sectionKey = section
    controller = FetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section)
  }

  func start() throws {
    controller.delegate = mirror
    try controller.performFetch()
    mirror.load(controller)
  }

  /// Objects with what they stand where they do by.
  private func lines(_ objects: [Object]) -> [String] {
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
    guard mirror.objects == fresh else {
      Issue.record("\(what()): \(lines(mirror.objects)) is not \(lines(fresh)); \(mirror.events)")
      throw CancellationError()
    }
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
