import StorageVerify
import Testing
import rocksdb_bench

@Suite struct ConformanceTests {
  @Test func conforms() throws { try Conformance.check(RocksDB.self) }
}
