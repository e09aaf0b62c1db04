import StorageContract

/// Sharing of an LMDB store by several processes, each with a separate LMDB environment. According to lmdb.h, an
/// environment must not be opened twice in one process, nor used after a fork.
extension LMDBBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard way == .documented else {
      // The naive way of sharing (``SharingWay/naive``) reads and writes in separate transactions. Another process can
      // save between a read and the write that depends on the read: a deliberate mistake.
      let store = try Self(opening: environment)
      let transactions = Capability.emulatedTransactional(of: store)
      return ProcessShare(OneThreadStore(store, transactions: transactions), losesNothing: false)
    }
    return ProcessShare(try openShared(environment), losesNothing: true)
  }
}
