import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// `object-graph:blobs=external` stores long payloads in files beside the database, and short ones in the database.
@Suite struct ExternalPayloadTests {
  private func options(_ words: String...) throws -> Options {
    try Options(parsing: words, specs: ObjectGraphBackend.description.options, owner: "backend object-graph")
  }

  @Test(arguments: [("inline", 0), ("external", 1)])
  func payloads(blobs: String, files: Int) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("external-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let environment = StoreEnvironment(directory: directory.path, options: try options("blobs=\(blobs)"))
    let records = [100, 200_000].enumerated().map { index, count in
      Record(
        id: Int64(index), name: "\(count)", group: "", score: 0, modified: 0,
        payload: (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
    }
    func found() throws -> Int {
      let folder = directory.appendingPathComponent(".store.sqlite_SUPPORT/_EXTERNAL_DATA").path
      return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }
    for isBulk in [false, true] {
      var store = try ObjectGraphBackend(opening: environment)
      if isBulk {
        try store.importRecords(records, into: .records)
      } else {
        try store.commit(records.map { Change.put($0) })
      }
      try store.close()
      store = try ObjectGraphBackend(opening: environment)
      #expect(try store.records(.all, in: .records).map(\.payload) == records.map(\.payload))
      #expect(store.settings.contains("external_from=131072") == (files > 0))
      #expect(try found() == files)
      #expect(try store.deleteRecords(.name("200000"), in: .records) == 1)
      try store.settle()
      #expect(try found() == 0)
      try store.close()
    }
  }

  @Test(arguments: ["binary", "xml", "memory"])
  func onlyADatabaseHasThem(type: String) throws {
    for durability in Durability.allCases {
      guard
        case .unavailable(let reason) = ObjectGraphBackend.promise(
          durability, try options("store=\(type)", "blobs=external"))
      else {
        Issue.record("\(type) promises something")
        continue
      }
      #expect(reason.contains("only a database"))
    }
  }
}
