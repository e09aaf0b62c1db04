import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

/// Values in their records and in files beside the store.
@Suite final class ValueSizeTests {
  private let source = GeneratedRecords(count: 90, bytes: 20, seed: 2)
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func session(
    _ options: [String], _ store: ModelStore, backend: any StorageBackend.Type = ModelStore.self
  ) throws -> any WorkloadSession {
    ValueSize(options: try ValueSize.parsed(options)).session(
      SessionContext(
        fixture: Fixture(source), seed: 2, recordBytes: 20, isCounting: true, backend: backend,
        environment: StoreEnvironment(directory: directory), open: { store }, close: { _ in }))
  }

  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/values")) ?? []).sorted()
  }

  private var bytes: Int {
    files.reduce(0) { sum, name in
      sum + (FileManager.default.contents(atPath: "\(directory)/values/\(name)")?.count ?? 0)
    }
  }

  @Test(arguments: [("100", 64), ("1k", 64), ("100k", 64), ("1M", 8)], ["inline", "beside"])
  func valuesAreWhereTheyShouldBe(size: (text: String, count: Int), placement: String) throws {
    let length = try #require(Quantity.bytes(size.text))
    for backend in [ModelStore.self as any StorageBackend.Type, SafeStore.self] {
      let store = ModelStore(source.all)
      let session = try session(["bytes=\(size.text)", "place=\(placement)"], store, backend: backend)
      try session.run(operations: 10, block: 3)
      let totals = try session.expectation(after: 10).check(store)
      let large = store.disk.records.values.filter { $0.payload.count == length }
      if placement == "inline" {
        #expect(large.count == size.count)
        #expect(files.isEmpty)
      } else {
        #expect(files.count == size.count)
        #expect(bytes == size.count * length)
        #expect(store.disk.records.values.allSatisfy { $0.payload.count <= 20 })
      }
      #expect(totals.storedBytes >= size.count * length)
      #expect(totals.records == 90)
      #expect(session.bytesChanged(by: 10) == 10 * (length + 8))
      // If only the store is lost with its process, it is made again beside the existing files.
      try self.session(["bytes=\(size.text)", "place=\(placement)"], ModelStore(source.all)).run(
        operations: 1, block: 3)
    }
  }

  @Test(arguments: ["inline", "beside"]) func readingChangesNothing(placement: String) throws {
    let store = ModelStore(source.all)
    let session = try session(["bytes=10k", "place=\(placement)", "do=read"], store)
    try session.run(operations: 200, block: 3)
    #expect(store.disk.commits == 1)
    _ = try session.expectation(after: 200).check(store)
  }

  @Test func aWrongValueIsNamed() throws {
    // The first slot is that of the first record.
    let changed = ModelStore(source.all, fault: .changes(1) { $0.payload[0] ^= 1 })
    #expect(throws: VerificationError(key: 1, "has a wrong value")) {
      try session(["bytes=1k", "do=read"], changed).run(operations: 300, block: 3)
    }
    #expect(throws: VerificationError(key: 1, "is missing")) {
      try session(["do=read"], ModelStore(source.all, fault: .hides(1))).run(operations: 300, block: 3)
    }
    // The value is cut off, for example by a column that is too short.
    let cut = ModelStore(source.all, fault: .changes(1) { $0.payload = Array($0.payload.prefix(500)) })
    let saving = try session(["bytes=1k"], cut)
    try saving.run(operations: 4, block: 3)
    #expect(throws: VerificationError(key: 1, "has a wrong payload")) { try saving.expectation(after: 4).check(cut) }
  }

  @Test func aWrongFileIsNamed() throws {
    let store = ModelStore(source.all)
    let session = try session(["bytes=1k", "place=beside"], store)
    try session.run(operations: 5, block: 3)
    let expectation = try session.expectation(after: 5)
    _ = try expectation.check(store)
    let name = try #require(files.first)
    let path = "\(directory)/values/\(name)"
    let right = try #require(FileManager.default.contents(atPath: path))
    let (file, advice) = ("file values/\(name), which the workload itself wrote,", "check that the backend")

    var wrong = right
    wrong[17] ^= 4
    for data in [wrong, right.dropLast(), Data()] {
      try data.write(to: URL(fileURLWithPath: path))
      #expect(
        throws: VerificationError(key: nil, "\(file) has wrong bytes; \(advice) changes only its own files")
      ) {
        try expectation.check(store)
      }
    }
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: VerificationError(key: nil, "\(file) is missing; \(advice) removes only its own files")) {
      try expectation.check(store)
    }
    try right.write(to: URL(fileURLWithPath: path))
    try right.write(to: URL(fileURLWithPath: "\(directory)/values/zz"))
    let left = "file values/zz was not written by the workload, or was deleted by it"
    #expect(throws: VerificationError(key: nil, "\(left); \(advice) writes only its own files")) {
      try expectation.check(store)
    }
  }

  /// The commit before the first operation is lost, or the last operation's.
  @Test(arguments: ["inline", "beside"], [0, 12])
  func aSaveThatIsLostIsNoticed(placement: String, lost: Int) throws {
    let store = ModelStore(source.all, fault: .losesCommit(lost))
    let session = try session(["bytes=1k", "place=\(placement)"], store)
    try session.run(operations: 12, block: 3)
    #expect(throws: VerificationError.self) { try session.expectation(after: 12).check(store) }
  }

  @Test func aFileThatCannotBeWrittenIsAnErrorOfTheStore() throws {
    let files = ValueFiles(directory: "\(directory)/none", isSynced: true)
    #expect(throws: StoreError.self) { try files.write([1, 2], to: "a") }
    #expect(throws: StoreError.self) { _ = try files.read("a") }
    #expect(throws: StoreError.self) { try files.remove("a") }
    try files.start()
    try files.write([1, 2], to: "a")
    #expect(try files.read("a") == [1, 2])
    // A name is never used twice.
    #expect(throws: StoreError.self) { try files.write([3], to: "a") }
    try files.write([], to: "empty")
    #expect(try files.read("empty").isEmpty)
  }
}

/// A store that promises durability, so that files beside it are synced.
private final class SafeStore: Faulty {
  override class func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.durable) }
}
