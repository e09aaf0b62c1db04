import StorageContract

/// Sharing of a store by several processes. Each process opens the store once, because LMDB forbids a second opening in
/// the same process (lmdb.h).
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
