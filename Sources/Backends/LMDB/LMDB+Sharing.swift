import StorageContract

/// Sharing of a store by several processes, each with one LMDB environment. lmdb.h forbids two per process, and use
/// after a fork.
extension LMDBBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard way == .documented else {
      // The naive way reads and writes in separate transactions, a deliberate mistake: another process can save in
      // between.
      let store = try Self(opening: environment)
      let transactions = Capability.emulatedTransactional(of: store)
      return ProcessShare(OneThreadStore(store, transactions: transactions), losesNothing: false)
    }
    return ProcessShare(try openShared(environment), losesNothing: true)
  }
}
