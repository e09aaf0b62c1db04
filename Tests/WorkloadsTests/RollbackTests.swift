import Testing

@testable import StorageContract
@testable import StorageWorkloads

@Suite struct RollbackTests {
  private func complaint(_ backend: any StorageBackend.Type) throws -> String? {
    let source = GeneratedRecords(count: 20, bytes: 20, seed: 4)
    return try WorkloadTrial("rollback", source: source, backend: backend).complaint(operations: 9)
  }

  @Test func whatIsLeftIsNoticed() throws {
    #expect(try complaint(Keeps.self) == "record 21 is there although its insertion was rolled back")
    #expect(
      try complaint(Swallows.self)
        == "a transaction returned without the error that its closure throws after the sixth insert; "
        + "the backend must roll back and rethrow the error")
    #expect(try complaint(CommitsLater.self) == "record 30 is there although its insertion was rolled back")
  }
}

// Stores with one fault in their transactions.

private final class Keeps: Faulty, Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    let transactions = Capability.transactional(of: inner).value
    return try transactions.transaction { store in Swift.Result { try body(store) } }.get()
  }
}

private final class Swallows: Faulty, Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    do {
      return try Capability.transactional(of: inner).value.transaction(body)
    } catch  where Result.self == Void.self {
      return () as! Result
    }
  }
}

/// A store that commits the last insert after the rollback.
private final class CommitsLater: Faulty, Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    do {
      return try Capability.transactional(of: inner).value.transaction(body)
    } catch {
      try commit([.put(Record.sample(30))])
      throw error
    }
  }
}
