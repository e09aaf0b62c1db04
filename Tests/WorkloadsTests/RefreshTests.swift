import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct RefreshTests {
  private static let source = GeneratedRecords(count: 200, bytes: 20, seed: 4)

  /// Runs one refresh. Returns the environment, in which the store's content is right.
  private func refresh(_ options: String...) throws -> WorkloadTrial {
    let trial = try WorkloadTrial("refresh", options: options, source: Self.source)
    #expect(try trial.complaint(operations: 1) == nil)
    return trial
  }

  private func isStored(_ record: Record) -> Bool {
    Self.source.index(of: record.id).map { Self.source.record(at: $0).isIdentical(to: record) } ?? false
  }

  @Test(arguments: [("90%", 18, 9), ("50%", 10, 5), ("0%", 0, 0)], ["commit", "batch"])
  func theAnswerOverlapsAsAskedFor(share: (name: String, known: Int, edited: Int), by: String) throws {
    let trial = try refresh("overlap=\(share.name)", "by=\(by)")
    let records = trial.disk.records.values
    #expect(records.count == 200 + 20 - share.known)
    #expect(records.count { Self.source.index(of: $0.id) == nil } == 20 - share.known)
    // Of the known records, half have not changed.
    #expect(records.count { !isStored($0) } == 20 - share.known + share.edited)
    #expect(trial.disk.commits == 1)
  }

  @Test func readingFirstLeavesTheSameRecords() throws {
    for share in ["90%", "50%", "0%"] {
      let (upserted, found) = (try refresh("overlap=\(share)"), try refresh("overlap=\(share)", "way=find"))
      #expect(upserted.disk.records == found.disk.records)
    }
  }

  @Test func aReplacementDeletesOnlyTheRestOfItsPage() throws {
    let (before, after) = (Self.source.all, try refresh("overlap=50%", "way=replace").disk.records)
    let upserted = try refresh("overlap=50%").disk.records
    let deleted = before.filter { after[$0.id] == nil }
    #expect(deleted.count == 10)
    #expect(upserted.count - after.count == 10)
    // All that are left between these scores were sent: known ones, and the copies of the deleted ones.
    let scores = deleted.map(\.score).sorted()
    let page = scores[0]...scores[9]
    let (left, old) = (after.values.filter { page.contains($0.score) }, before.filter { page.contains($0.score) })
    #expect(left.count == old.count && left.count > 10)
    #expect(left.count { Self.source.index(of: $0.id) == nil } == 10)
    let sent = Set(after.values.filter { !isStored($0) }.map(\.score))
    #expect(scores.allSatisfy(sent.contains))
  }

  @Test(arguments: ["upsert", "replace", "wipe"])
  func requestsLeaveTheSameRecords(way: String) throws {
    let (saved, requested) = (try refresh("way=\(way)"), try refresh("way=\(way)", "by=batch"))
    #expect(saved.disk.records == requested.disk.records)
    #expect(requested.disk.commits == (way == "upsert" ? 1 : 2))
    if way == "wipe" { #expect(saved.disk.records.count == 20) }
    #expect(try saved.session().streamHash == requested.session().streamHash)
  }

  /// A data file without scores has no list that could be sorted by them.
  @Test func aPageOfEqualScoresIsNotReplaced() throws {
    let records = Self.source.all.map { $0.with { $0.score = 0 } }
    for (way, isRefused) in [("upsert", false), ("find", false), ("wipe", false), ("replace", true)] {
      let trial = try WorkloadTrial("refresh", options: ["way=\(way)"], source: RecordList(records))
      if isRefused {
        #expect(throws: StoreError.self) { _ = try trial.session() }
      } else {
        #expect(try trial.complaint(operations: 1) == nil)
      }
    }
  }

  @Test func recordsThatWereNotDeletedAreNoticed() throws {
    for way in ["replace", "wipe"] {
      let trial = try WorkloadTrial("refresh", options: ["way=\(way)"], fault: .keepsDeleted, source: Self.source)
      #expect(try trial.complaint(operations: 1)?.hasSuffix("is there but should not be") == true)
    }
  }

  @Test func aRecordReadWrongIsNoticed() throws {
    // An unchanged record that is read wrong is saved once more than is needed.
    let incoming = try refresh().session() as any WorkloadSession
    let stored = try incoming.expectation(after: 1)
    let indices = (0..<200).filter { stored.record(Self.source.key(at: $0)).map(isStored) == true }
    let counts = try indices.map { index in
      try WorkloadTrial(
        "refresh", options: ["way=find"], fault: .changes(Self.source.key(at: index)) { $0.score += 1 },
        source: Self.source
      ).complaint(operations: 1)
    }
    #expect(counts.count { $0 == "12 changes were made where there should be 11" } == 9)
    #expect(counts.allSatisfy { $0 != nil })
  }

  @Test func bytesChanged() throws {
    let session = try WorkloadTrial("refresh", options: ["overlap=90%"], source: Self.source).session()
    let new = try session.expectation(after: 1).records().filter { Self.source.index(of: $0.id) == nil }
    #expect(new.count == 2)
    #expect(session.bytesChanged(by: 3) == 3 * (9 * (20 + 8) + new.reduce(0) { $0 + $1.logicalSize }))
    let wiped = try WorkloadTrial("refresh", options: ["overlap=0%", "way=wipe"], source: Self.source).session()
    let (all, sent) = (Self.source.all, try wiped.expectation(after: 1).records())
    #expect(wiped.bytesChanged(by: 1) == (all + sent).reduce(0) { $0 + $1.logicalSize })
  }
}
