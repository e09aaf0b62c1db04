import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// `object-graph:blobs=external` stores long payloads in files beside the database, and short ones in the database.
@Suite struct ExternalPayloadTests {
  @Test(arguments: [("inline", 0), ("external", 1)])
  func payloads(blobs: String, files: Int) throws {
    let records = [100, 200_000].map { Tricky.record(Int64($0), "\($0)", payload: Tricky.noise($0)) }
    try Subject.with(Configuration("object-graph", ["blobs=\(blobs)"])) { subject in
      func found() throws -> Int {
        let folder = "\(subject.directory)/.store.sqlite_SUPPORT/_EXTERNAL_DATA"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
      }
      for isBulk in [false, true] {
        var store = try ObjectGraphBackend(opening: subject.environment())
        if isBulk {
          try store.importRecords(records, into: .records)
        } else {
          try store.commit(records.map { Change.put($0) })
        }
        try store.close()
        store = try ObjectGraphBackend(opening: subject.environment())
        #expect(try store.records(.all, in: .records).map(\.payload) == records.map(\.payload))
        #expect(store.settings.contains("external_from=131072") == (files > 0))
        #expect(try found() == files)
        #expect(try store.deleteRecords(.name("200000"), in: .records) == 1)
        try store.settle()
        #expect(try found() == 0)
        try store.close()
      }
    }
  }

  @Test(arguments: ["binary", "xml", "memory"], Durability.allCases)
  func onlyADatabaseHasThem(type: String, durability: Durability) throws {
    let options = try Configuration("object-graph", ["store=\(type)", "blobs=external"]).resolved().options
    let reason = "only a database keeps payloads in files of their own; the other stores hold them all"
    #expect(ObjectGraphBackend.promise(durability, options) == .unavailable(reason))
  }
}
