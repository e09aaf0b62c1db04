import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

/// The ageing of a store: seeded, of a known pattern, and without an effect on the final content.
@Suite(.serialized) struct AgedStoreStepTests {
  private static func source(_ count: Int, bytes: Int = 20) -> GeneratedRecords {
    GeneratedRecords(count: count, bytes: bytes, seed: 9)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 10, 11, 100])
  func `each N changes delete a tenth and bring it back, and the rest are of records that are there`(count: Int) {
    let steps = AgedStore(of: Self.source(count), times: 3, seed: 5).steps()
    #expect(steps.count == AgedStore.changes(records: count, times: 3))
    #expect(steps.count == 4 * count)
    #expect(steps.prefix(count).map(\.index).sorted() == Array(0..<count))
    #expect(steps.prefix(count).allSatisfy { !$0.isDelete })
    // Neither the order of the keys nor that of another seed.
    if count == 100 {
      #expect(steps.prefix(count).map(\.index) != Array(0..<count))
      let others = AgedStore(of: Self.source(count), times: 3, seed: 6).steps().map(\.index)
      #expect(others != steps.map(\.index))
    }
    var present = Set(0..<count)
    for turn in 1..<4 where count > 0 {
      var (gone, back) = (0, 0)
      for step in steps[turn * count..<(turn + 1) * count] {
        if step.isDelete {
          #expect(present.remove(step.index) != nil)
          gone += 1
        } else if present.insert(step.index).inserted {
          back += 1
        }
      }
      #expect(present.count == count)
      #expect(gone == back && gone == min(max(1, count / 10), count / 2))
    }
  }

  /// A backend that records the commits of each session.
  private final class Diary: StorageBackend {
    nonisolated(unsafe) static var kind = EngineKind.page
    nonisolated(unsafe) static var sessions: [[[Change]]] = []
    static var description: BackendDescription {
      let kind = kind
      return BackendDescription(
        id: "diary", summary: "", safety: "It keeps all.", kind: { _ in kind }, engineVersion: { "none" })
    }
    static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.durable) }

    init(opening environment: StoreEnvironment) { Self.sessions.append([]) }
    var settings: String { "" }
    func commit(_ changes: [Change]) { Self.sessions[Self.sessions.count - 1].append(changes) }
    func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {}
    func close() {}
  }

  /// Returns the records that the commits in the diary leave. Only records that exist may be deleted.
  private static func held() -> [Int64: Record] {
    var held: [Int64: Record] = [:]
    for change in Diary.sessions.joined().joined() {
      switch change.action {
      case .put(let record, _): held[record.id] = record
      case .delete(let key, _): #expect(held.removeValue(forKey: key) != nil)
      }
    }
    return held
  }

  /// The cases run one after the other, because they share the diary.
  @Test func `a commit for each change or for N of them, in sessions of N, and at the end the records as they were`()
    throws
  {
    for (kind, commits, bytes) in [(EngineKind.page, 40, 20), (.wholeFile, 1, 20), (.page, 40, 0)] {
      (Diary.kind, Diary.sessions) = (kind, [])
      let source = Self.source(40, bytes: bytes)
      var steps = 0
      try AgedStore(of: source, times: 3, seed: 5).apply(in: StoreEnvironment(directory: ""), with: Diary.self) {
        steps += 1
      }
      #expect(Diary.sessions.map(\.count) == Array(repeating: commits, count: 4))
      #expect(steps == 4 * commits)
      let held = Self.held()
      #expect(held.count == 40)
      #expect(source.all.allSatisfy { held[$0.id]?.isIdentical(to: $0) == true })
      // Some payloads are longer than the final ones, and some are shorter unless these are empty.
      let lengths = Diary.sessions.joined().joined().filter { !$0.isDelete }.map(\.record.payload.count)
      #expect(lengths.contains { $0 > bytes } && (bytes == 0 || lengths.contains { $0 < bytes }))
    }
  }

  @Test func `records of other keys than 1 to N live alike`() throws {
    (Diary.kind, Diary.sessions) = (.page, [])
    let records = [Int64.min, -7, 3, .max].map { Record.sample($0) }
    try AgedStore(of: RecordList(records), times: 2, seed: 1).apply(
      in: StoreEnvironment(directory: ""), with: Diary.self)
    let held = Self.held()
    #expect(records.allSatisfy { held[$0.id]?.isIdentical(to: $0) == true } && held.count == 4)
  }
}
