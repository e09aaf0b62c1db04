import Foundation
import Synchronization
import Testing

@testable import StorageWorkloads

@Suite struct ThreadTeamTests {
  /// A collection to which several threads add.
  private final class Notes: Sendable {
    private let state = Mutex((values: [Int: [Int]](), threads: Set<ObjectIdentifier>()))

    func add(_ value: Int, under key: Int) {
      state.withLock {
        $0.values[key, default: []].append(value)
        $0.threads.insert(ObjectIdentifier(Thread.current))
      }
    }

    var all: [Int: [Int]] { state.withLock { $0.values } }
    var threadCount: Int { state.withLock { $0.threads.count } }
  }

  private struct Broken: Error, Equatable {
    let operation: Int
  }

  @Test(arguments: [1, 3, 4]) func everyOperationIsDoneOnceAndInItsThreadsOrder(workers: Int) throws {
    let team = ThreadTeam(workers: workers)
    let notes = Notes()
    // Blocks that begin at different threads, one that is shorter than the team, and an empty one.
    for block in [0..<10, 10..<11, 11..<11, 11..<50] {
      try team.perform(block) { notes.add($0, under: $0 % workers) }
    }
    #expect(notes.all.keys.sorted() == Array(0..<workers))
    for (thread, operations) in notes.all {
      #expect(operations == Array(stride(from: thread, to: 50, by: workers)))
    }
    #expect(notes.threadCount == workers)
  }

  @Test func operationsAreTimedOneByOneAndTheBlockAsAWhole() throws {
    let team = ThreadTeam(workers: 4)
    try team.perform(8..<16) { _ in usleep(20_000) }
    for operation in 8..<16 { #expect(team.duration(of: operation)! >= 20_000_000) }
    #expect(team.duration(of: 7) == nil)
    #expect(team.duration(of: 16) == nil)
    // Each thread runs two operations, one after the other.
    for thread in 8..<12 {
      #expect(team.elapsed >= team.duration(of: thread)! + team.duration(of: thread + 4)!)
    }
  }

  @Test func theBackgroundIsBusyUntilTheLastOperationIsDone() throws {
    let team = ThreadTeam(workers: 2, background: 3)
    let (done, meanwhile) = (Notes(), Notes())
    for block in [0..<20, 20..<40] {
      try team.perform(block) { operation in
        usleep(1_000)
        done.add(operation, under: 0)
      } meanwhile: { number in
        meanwhile.add(1, under: number)
      }
    }
    #expect(done.all[0]?.sorted() == Array(0..<40))
    #expect(meanwhile.all.keys.sorted() == [0, 1, 2])
    #expect(meanwhile.all.values.allSatisfy { $0.count > 1 })
  }

  @Test func errorsOfAnyThreadAreThrown() throws {
    let team = ThreadTeam(workers: 3, background: 1)
    #expect(throws: Broken(operation: 7)) {
      try team.perform(0..<12) { if $0 == 7 { throw Broken(operation: 7) } }
    }
    // The operations wait for the background thread, which a busy machine may start late.
    let begun = Notes()
    #expect(throws: Broken(operation: -1)) {
      try team.perform(0..<12) { _ in
        while begun.all.isEmpty { usleep(100) }
      } meanwhile: { number in
        begun.add(1, under: number)
        throw Broken(operation: -1)
      }
    }
    // The team can be used again.
    let notes = Notes()
    try team.perform(0..<6) { notes.add($0, under: 0) }
    #expect(notes.all[0]?.sorted() == Array(0..<6))
  }
}
