import Foundation
import Testing

/// Semantics 7, 15 and 25 together, against a reference: whatever a program does in two contexts, they and the store
/// are what the rules say, and nothing of it stays in memory.
///
/// `OBJECT_GRAPH_SEEDS` says how many programs there are (`scripts/lab graph-random`).
@Suite struct RandomProgramTests {
  @Test("7, 15, 25: random programs do what the reference does, and leave nothing in memory")
  func programs() throws {
    let seeds = try ProcessInfo.processInfo.environment["OBJECT_GRAPH_SEEDS"].map { try #require(UInt64($0)) } ?? 150
    var counts: [String: Int] = [:]
    for seed in 0..<seeds {
      let remains = try run(seed, &counts)
      try #require(remains.isEmpty, "seed \(seed): a context or the coordinator stays in memory")
      let living = RandomProgram.Counted.living.load(ordering: .relaxed)
      try #require(living == 0, "seed \(seed): \(living) objects stay in memory")
    }
    // They have been worth it.
    for what in ["saves", "merges", "undo", "redo"] { #expect(counts[what, default: 0] > seeds, "\(counts)") }
    for what in ["refused versions", "refused values", "settled versions", "settled values"] {
      #expect(counts[what, default: 0] > seeds / 10, "\(counts)")
    }
  }

  private func run(_ seed: UInt64, _ counts: inout [String: Int]) throws -> RandomProgram.Remains {
    var program = try RandomProgram(seed: seed)
    do {
      try program.run(60)
    } catch {
      Issue.record("seed \(seed): \(error)")
      throw error
    }
    counts.merge(program.counts) { $0 + $1 }
    return program.remains
  }

  @Test(
    "8, 12, 13, 17, 25: random relationships and delete rules do what the reference does, and leave nothing in memory")
  func relationships() throws {
    let seeds = try ProcessInfo.processInfo.environment["OBJECT_GRAPH_SEEDS"].map { try #require(UInt64($0)) } ?? 40
    var counts: [String: Int] = [:]
    for seed in 0..<seeds {
      let remains = try runRelationships(seed, &counts)
      try #require(remains.isEmpty, "seed \(seed): a context or the coordinator stays in memory")
      let living = RelationshipProgram.Counted.living.load(ordering: .relaxed)
      try #require(living == 0, "seed \(seed): \(living) objects stay in memory")
    }
    for what in ["saves", "merges with changes", "undo", "redo"] {
      #expect(counts[what, default: 0] > seeds, "\(counts)")
    }
    #expect(counts["saves of merged changes", default: 0] > seeds / 2 && counts["denied", default: 0] > 0, "\(counts)")
  }

  private func runRelationships(_ seed: UInt64, _ counts: inout [String: Int]) throws -> RandomProgram.Remains {
    var program = try RelationshipProgram(seed: seed)
    do {
      try program.run(60)
    } catch {
      Issue.record("seed \(seed): \(error)")
      throw error
    }
    counts.merge(program.counts) { $0 + $1 }
    return program.remains
  }
}
