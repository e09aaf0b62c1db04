import StorageContract

/// A check that a transaction reads its own changes, and undoes them if its closure throws or rolls back.
struct TransactionCheck: CapabilityCheck {
  static let id = "transactions"
  static let promise = "transactions are all or nothing, natively and emulated"
  static let capability = Capability.transactional

  private struct Refused: Error {}

  static func script(_ store: any StorageBackend, _ subject: CheckSubject, _ transcript: inout Transcript) throws {
    let transactions = Capability.transactional(of: store).value
    try store.commit((0..<10).map { .put(SampleRecords.record($0, "before")) })

    let result = try transactions.transaction { transaction in
      try transaction.put(SampleRecords.record(20, "new"))
      try transaction.put(SampleRecords.record(3, "changed"))
      try transaction.delete(4)
      try transaction.put(SampleRecords.record(3, "again"))
      try transaction.put(SampleRecords.record(1, "elsewhere"), in: CheckSubject.second)
      transcript.note("own changes", try transaction.records())
      transcript.note("in a range", try transaction.records(3...5))
      transcript.note("count inside: \(try transaction.count(in: .records))")
      transcript.note("deleted inside: \(try transaction.record(4) == nil)")
      return 42
    }
    transcript.note("returned \(result)")
    transcript.note("after a commit", try store.records(.all, in: .records))

    transcript.note("a block that throws") {
      try transactions.transaction { transaction in
        for key in 30..<35 { try transaction.put(SampleRecords.record(Int64(key), "half")) }
        try transaction.delete(0)
        throw Refused()
      }
    }
    transcript.note("after a throw", try store.records(.all, in: .records))
    let completion = try transactions.inTransaction { transaction in
      try transaction.put(SampleRecords.record(40, "asked back"))
      transcript.note("before a rollback: \(try transaction.record(40) != nil)")
      return .rollback
    }
    transcript.note("asked to roll back: \(completion)")
    transcript.note("kept on request: \(try transactions.inTransaction { try $0.delete(20); return .commit })")
    transcript.note("after both", try store.records(.all, in: .records))

    transcript.note("a transaction within one") {
      try transactions.transaction { _ in try transactions.transaction { _ in "nested" } }
    }
    transcript.note("a change of what is being scanned") {
      try transactions.transaction { transaction in
        try transaction.scan(.all, in: .records) { view in
          try transaction.put(SampleRecords.record(view.id + 1_000))
          return true
        }
        return "made"
      }
    }
    var kept: (any StoreTransaction)?
    try transactions.transaction { kept = $0 }
    transcript.note("a transaction after its end") { try kept.map { "\(try $0.count(in: .records))" } ?? "none" }
    transcript.note("a collection that is not there") {
      try transactions.transaction { transaction in
        try transaction.put(SampleRecords.record(50, "lost"))
        try transaction.put(SampleRecords.record(51, "nowhere"), in: CollectionID(7))
        return "made"
      }
    }
    try transactions.transaction { try $0.put(SampleRecords.record(60, "last")) }
    transcript.note("in the end", try store.records(.all, in: .records))
    transcript.note("and elsewhere", try store.records(.all, in: CheckSubject.second))
  }
}
