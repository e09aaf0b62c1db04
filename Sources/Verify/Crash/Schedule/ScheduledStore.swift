import StorageContract

/// A store that two processes share, as opened by one of the processes.
struct ScheduledStore {
  let save: ([Change]) throws -> Void
  let scan: (_ keys: ClosedRange<Int64>, _ collection: CollectionID, _ body: (RecordView) throws -> Bool) throws -> Void
  let checkpoint: () throws -> Void
  let close: () throws -> Void
  /// Whether every acknowledged save survives the saves of the other process.
  let losesNothing: Bool

  init(_ type: any StorageBackend.Type, _ environment: StoreEnvironment, locks: Bool) throws {
    if let type = type as? any Scheduled.Type {
      let store = try type.init(opening: environment)
      save = store.commit
      scan = { try store.scan($0, in: $1, $2) }
      checkpoint = store.checkpoint
      close = store.close
      losesNothing = true
      return
    }
    let lock = try locks ? FileLock(at: environment.path("shared.lock")) : nil
    func alone<Result>(_ body: () throws -> Result) throws -> Result { try lock?.exclusively(body) ?? body() }
    let share = try alone { try Capability.sharing(opening: environment, as: type, .documented).value }
    save = { changes in try alone { try share.store.write { try changes.forEach($0.apply) } } }
    scan = { keys, collection, body in try alone { try share.store.read { try $0.scan(keys, in: collection, body) } } }
    checkpoint = {}
    close = { try alone(share.store.close) }
    losesNothing = locks || share.losesNothing
  }
}
