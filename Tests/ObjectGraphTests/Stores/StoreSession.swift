import Foundation
import ObjectGraph
import TestSupport

/// A random sitting of two contexts over one store: edits, saves under every merge policy, conflicts, fetches. What it
/// notes down depends on the seed, and must not depend on the store's type.
final class StoreSession {
  private let stack: Stack
  private let contexts: [ManagedObjectContext]
  private var editors: [RandomEditor]
  private var random: SplitMix64
  private(set) var log: [String] = []

  init(_ stack: Stack, seed: UInt64) {
    self.stack = stack
    contexts = [stack.context, stack.otherContext()]
    editors = contexts.enumerated().map { RandomEditor($1, seed: seed * 2 + UInt64($0)) }
    random = SplitMix64(seed: seed)
  }

  /// Goes on for some steps.
  func run(_ steps: Int) throws {
    for _ in 0..<steps {
      let place = number(below: 2)
      switch number(below: 12) {
      case 0..<6: try edit(place)
      case 6, 7: try save(place)
      case 8: try find(place)
      case 9: try sum(place)
      case 10: if random.chance(30) { contexts[place].reset() }
      default: note("state", Result { try GraphState(stack.otherContext()).description })
      }
    }
  }

  private func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private func note(_ what: String, _ result: Result<String, any Error>) {
    switch result {
    case .success(let text): log.append("\(what): \(text)")
    case .failure(let error):
      // The store's UUID is another one each time.
      log.append("\(what): \(error)".replacing(stack.store.identifier.uuidString, with: "store"))
    }
  }

  private func edit(_ place: Int) throws {
    let count = 1 + number(below: 4)
    note(
      "edit \(place)",
      Result {
        for _ in 0..<count { try editors[place].edit() }
        return "\(count)"
      })
  }

  private func save(_ place: Int) throws {
    let policy = Everything.pick(MergePolicy.allCases, &random)
    contexts[place].mergePolicy = policy
    let result = Result {
      try contexts[place].save()
      return "saved"
    }
    note("save \(place) by \(policy)", result)
    if case .failure = result {
      if random.chance(50) { contexts[place].rollback() } else { contexts[place].reset() }
    }
  }

  private func find(_ place: Int) throws {
    let predicates: [FetchPredicate] = [
      .any("student_course.courseName") == "Music", Property("student_class.classNames").begins(with: "C"),
      Property("studentDes") > "D5" || Property("student_class") == nil, .any("student_score.score") == 1,
      !(Property("studentId").contains("1")),
    ]
    let request = FetchRequest<Student>(
      where: Everything.pick(predicates, &random),
      sortedBy: [SortKey("student_class.classNames", ascending: random.chance(50)), SortKey("studentDes")],
      limit: number(below: 5), offset: number(below: 3))
    let context = contexts[place]
    note(
      "find \(place)",
      Result {
        let found = try context.fetch(request).map(\.studentId)
        let ids = try context.fetchObjectIDs(request).map(\.uriRepresentation.lastPathComponent)
        return "\(found) \(ids) \(try context.count(for: request))"
      })
  }

  private func sum(_ place: Int) throws {
    let figures = [
      Aggregate(.sum, of: "score"), Aggregate(.count, of: "score"), Aggregate(.maximum, of: "semester"),
      Aggregate(.average, of: "score"), Aggregate(.minimum, of: "scoreId"),
    ]
    note(
      "sum \(place)",
      Result { "\(try contexts[place].aggregate(FetchRequest<Score>(), figures, groupedBy: "score"))" })
  }
}
