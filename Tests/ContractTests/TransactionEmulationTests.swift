import TestSupport
import Testing

@testable import StorageContract

@Suite struct TransactionEmulationTests {
  private struct Refused: Error {}

  @Test func failedCommitLeavesNothingAndTheNextOneWorks() throws {
    let store = try DictionaryStore()
    let transactions = Capability.transactional(of: store).value
    store.nextFailure = .full("disk")
    #expect(throws: StoreError.full("disk")) { try transactions.transaction { try $0.put(.sample(1)) } }
    #expect(store.content == [[:]])
    try transactions.transaction { try $0.put(.sample(1)) }
    #expect(store.content[0].count == 1)
  }

  @Test func aTransactionWithoutChangesMakesNoCommit() throws {
    let store = try DictionaryStore()
    #expect(try Capability.transactional(of: store).value.transaction { try $0.count(in: .records) } == 0)
    #expect(store.commits == 0)
  }

  /// Compares random reads and writes with a dictionary that is copied at the start.
  @Test(arguments: 0..<100) func readsItsOwnWrites(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try DictionaryStore(collections: 2)
    try store.commit((1...10).map { .put(.random($0 * 2, using: &random)) })
    var model = store.content
    let before = store.content
    let fails = Bool.random(using: &random)
    let transactions = Capability.transactional(of: store)
    #expect(!transactions.isNative)
    do {
      try transactions.value.transaction { transaction in
        for _ in 0..<40 {
          let collection = CollectionID(Int.random(in: 0...1, using: &random))
          let key = Int64.random(in: 1...25, using: &random)
          if Bool.random(using: &random) {
            let record = Record.random(key, using: &random)
            try transaction.put(record, in: collection)
            model[collection.index][key] = record
          } else {
            try transaction.delete(key, in: collection)
            model[collection.index][key] = nil
          }
          let other = Int64.random(in: 1...25, using: &random)
          #expect(try transaction.record(other, in: collection)?.payload == model[collection.index][other]?.payload)
          let range = min(key, other)...max(key, other)
          let expected = model[collection.index].keys.filter(range.contains).sorted()
          #expect(try transaction.records(range, in: collection).map(\.id) == expected)
          var first: [Int64] = []
          try transaction.scan(range, in: collection) {
            first.append($0.id)
            return first.count < 2
          }
          #expect(first == Array(expected.prefix(2)))
          #expect(try transaction.count(in: collection) == model[collection.index].count)
        }
        if fails { throw Refused() }
      }
    } catch is Refused {}
    // All changes are one commit.
    #expect(store.commits == (fails ? 1 : 2))
    let expected = fails ? before : model
    for (stored, wanted) in zip(store.content, expected) {
      #expect(stored.count == wanted.count)
      #expect(stored.allSatisfy { key, record in wanted[key].map(record.isIdentical(to:)) ?? false })
    }
  }

  @Test func readsNestAndScannedCollectionsStay() throws {
    let store = try DictionaryStore(collections: 2)
    try store.commit([.put(.sample(1)), .put(.sample(2))])
    var pairs = 0
    try Capability.transactional(of: store).value.transaction { transaction in
      try transaction.put(.sample(3))
      try transaction.scan(.all, in: .records) { outer in
        try transaction.scan(.all, in: .records) { inner in
          pairs += try transaction.record(inner.id) != nil && outer.id > 0 ? 1 : 0
          return true
        }
        try transaction.put(.sample(outer.id), in: CollectionID(1))
        #expect(throws: StoreError.self) { try transaction.delete(outer.id) }
        return true
      }
      try transaction.delete(1)
    }
    #expect(pairs == 9 && store.content[0].keys.sorted() == [2, 3] && store.content[1].count == 3)
  }

  @Test func neitherNestsNorOutlivesItsBlock() throws {
    let store = try DictionaryStore()
    let transactions = Capability.transactional(of: store).value
    var kept: (any StoreTransaction)?
    try transactions.transaction { transaction in
      kept = transaction
      #expect(throws: StoreError.self) { try transactions.transaction { _ in } }
      try transaction.put(.sample(1))
    }
    #expect(throws: StoreError.self) { try kept?.put(.sample(2)) }
    #expect(throws: StoreError.self) { try kept?.record(1) }
    #expect(store.content[0].keys.sorted() == [1])
  }
}
