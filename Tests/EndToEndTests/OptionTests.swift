import Foundation
import StorageBackends
import StorageContract
import Testing

extension EndToEnd.Measuring {
  @Suite struct OptionTests {
    /// An option without an effect would be useless. (The size of LMDB's map and those of NSCache are limits.)
    @Test func everyOptionChangesWhatIsMeasured() async throws {
      let texts = "ids=uuid4-text ids=uuid7-text"
      // Without write=debounced, every= is refused.
      let delays = "write=debounced every=2s"
      let ids = "ids=uuid4 ids=uuid7 \(texts)"
      let file =
        "page=8192 page=16384 mmap=1MiB cache=1MiB temp=memory autocheckpoint=100 secure-delete=off secure-delete=fast"
      // The kernel's read-ahead of a map makes no calls, cost passes do not use a filled log, and 20 records need neither
      // a cache nor a checkpoint, reach no limit, and have room for checksums in their pages.
      let uncounted = "map= readahead= log= cache= temp= autocheckpoint= secure-delete= count= cost= checksums=".words
      let map = "sync=nometasync writemap=yes map=16MiB readahead=no named=yes"
      let all = [
        ("plist", "format=xml coder=serialization atomic=no resident=no split=16 \(delays) \(texts)"),
        ("archive", "atomic=no resident=no split=16 secure=no root=keys \(delays) \(texts)"),
        ("defaults", "value=archive synchronize=no \(delays) \(texts)"),
        (
          "sqlite",
          "journal=wal journal=delete journal=memory statements=fresh connection=per-operation as=apple log=fresh "
            + "rowid=no synced=yes columns=json library=sqlite3mc library=sqlite3mc:cipher-key=raw "
            + "library=sqlite3mc:cipher-key=passphrase checksums=yes \(file) \(ids)"
        ),
        (
          "sqlite-queue",
          "pool=yes decode=codable journal=wal journal=delete read=unsafe log=fresh rowid=no synced=yes \(file) \(ids)"
        ),
        (
          "object-graph",
          "store=binary store=xml store=memory allocation=joined blobs=external undo=yes log=fresh \(ids)"
        ),
        ("lmdb", "\(map) \(ids)"), ("mdbx", "\(map) \(ids)"),
        ("json", "atomic=no resident=no split=16 \(delays) \(texts)"), ("text", "append=yes"),
        ("files", "fan=256 \(texts)"), ("nscache", "count=20 cost=1MiB"),
      ].map { id, options in (id, options.words) }
      let backends = all.filter { id, _ in
        !Backends.all.contains { $0.description.id == id && $0.description.missing() != nil }
      }
      // Every value of every option, and no removed one. Counts that vary by themselves show nothing.
      for backend in Backends.all
      where backend.description.missing() == nil && !backend.description.options.isEmpty
        && backend.description.isDeterministic
      {
        let combined = backends.first { $0.0 == backend.description.id }?.1.joined(separator: ":") ?? ""
        let known = combined.split(separator: ":").map(String.init)
        for spec in backend.description.options {
          if case .choice(let values) = spec.values {
            #expect(values.dropFirst().allSatisfy { known.contains("\(spec.name)=\($0)") }, "\(spec.name)")
          } else {
            #expect(known.contains { $0.hasPrefix("\(spec.name)=") }, "\(spec.name)")
          }
        }
      }
      let names = backends.flatMap { id, options in [id] + options.map { "\(id):\($0)" } }
      // Keys are assigned only to new records, so `import` is included.
      let results = try await Workplace().run(
        "--profile counts -b", names.joined(separator: ","), "-w delete-one,read-one,import -n 20",
        "--durability shipped,durable", into: "options")
      /// Returns the counts in all rows of a backend, and their settings.
      func counts(_ name: String) -> (measured: [String], settings: [String]) {
        let rows = results.rows.filter { Results.backend($0) == name }
        let columns = [
          "status", "bytes_written_settled", "write_calls", "syncs_settled", "bytes_read", "opens", "renames",
          "allocations", "inodes",
        ]
        return (rows.map { row in columns.map { row[$0]! }.joined(separator: " ") }, rows.map { $0["settings"]! })
      }
      for (id, options) in backends {
        for option in options {
          let (own, other) = (counts(id), counts("\(id):\(option)"))
          #expect(own.measured.count == 5 && other.measured.count == 5, "\(id):\(option)")
          #expect(own.settings != other.settings, "\(id):\(option)")
          if !uncounted.contains(where: { option.hasPrefix($0) }) {
            #expect(own.measured != other.measured, "\(id):\(option)")
          }
        }
      }
    }
  }
}
