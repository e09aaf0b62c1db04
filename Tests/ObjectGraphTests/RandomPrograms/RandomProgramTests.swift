import Foundation
import ObjectGraph
import Synchronization
import Testing

/// Semantics 7, 15 and 25 together, against a reference: after any program in two contexts, they and the store are as
/// the rules say, and nothing of it stays in memory.
///
/// `OBJECT_GRAPH_SEEDS` sets the number of programs (`scripts/lab graph-random`). The tests run one after the other,
/// because both count the same objects.
@Suite(.serialized) struct RandomProgramTests {
  @Test("7, 15, 25: random programs do what the reference does, and leave nothing in memory")
  func programs() throws {
    let (counts, seeds) = try run(RandomProgram.self, seeds: 150)
    // The figures show that the programs were of use.
    for what in ["saves", "merges", "undo", "redo"] { #expect(counts[what, default: 0] > seeds, "\(counts)") }
    for what in ["refused versions", "refused values"] {
      #expect(counts[what, default: 0] > seeds / 10, "\(counts)")
    }
  }

  @Test(
    "8, 12, 13, 17, 25: random relationships and delete rules do what the reference does, and leave nothing in memory")
  func relationships() throws {
    let (counts, seeds) = try run(RelationshipProgram.self, seeds: 40)
    for what in ["saves", "merges with changes", "undo", "redo"] {
      #expect(counts[what, default: 0] > seeds, "\(counts)")
    }
    #expect(counts["saves of merged changes", default: 0] > seeds / 2 && counts["denied", default: 0] > 0, "\(counts)")
  }

  /// Runs as many programs as asked for; the counts are of all of them.
  private func run<Program: CheckedProgram>(
    _ type: Program.Type, seeds: Int
  ) throws -> (counts: [String: Int], seeds: Int) {
    let seeds = try ProcessInfo.processInfo.environment["OBJECT_GRAPH_SEEDS"].map { try #require(Int($0)) } ?? seeds
    var counts: [String: Int] = [:]
    for seed in 0..<seeds {
      // Each context of a program holds it.
      weak var coordinator: PersistentStoreCoordinator?
      do {
        var program = try Program(seed: UInt64(seed))
        coordinator = program.stack.coordinator
        for _ in 0..<60 { try program.step() }
        counts.merge(program.counts) { $0 + $1 }
      } catch {
        Issue.record("seed \(seed): \(error)")
        throw error
      }
      try #require(coordinator == nil, "seed \(seed): a context or the coordinator stays in memory")
      let living = Counted.living.load(ordering: .relaxed)
      try #require(living == 0, "seed \(seed): \(living) objects stay in memory")
    }
    return (counts, seeds)
  }
}
