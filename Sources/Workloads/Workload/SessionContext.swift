import StorageContract

/// The input of a session from its trial.
public struct SessionContext {
  /// The store's content at the start, or the records to put into it.
  public let fixture: Fixture
  /// The records of the first collection.
  public var source: any RecordSource { records }
  /// The same, for checks that are made a million times. For the session's own thread only.
  let records: CachedRecords
  /// The same for all threads, each record made anew.
  var sharedSource: any RecordSource { records.uncached }
  /// The seed of the operation stream.
  public var seed: UInt64
  /// The length of payloads that replace others.
  public var recordBytes: Int
  /// Whether counts are taken: the session then does all work in this process.
  public var isCounting: Bool
  /// Whether what is read can be checked.
  public var isVerifiable: Bool
  /// The number of threads that do operations at once.
  public var threads: Int
  /// The backend.
  public var backend: any StorageBackend.Type
  /// The function that opens the trial's store. A ``Capability`` that opens or compacts a store in another way needs
  /// it.
  public var environment: StoreEnvironment
  /// Opens the trial's store.
  public var open: () throws -> any StorageBackend
  /// Closes it, unless it would be gone then: a store that leaves nothing behind lasts as long as the trial.
  public var close: (any StorageBackend) throws -> Void
  /// Opens the trial's store for many threads, in place of ``open``.
  public var openShared: () throws -> Provided<any SharedStore>
  /// Closes it, unless it would be gone then.
  public var closeShared: (any SharedStore) throws -> Void
  /// Makes the store anew what it was at the start: a copy of the fixture, or empty. The store must be closed.
  public var reset: () throws -> Void
  /// Does what belongs to no operation, as the making of a store anew between two of them. What it syncs is not waited for
  /// one by one but written back at its end: an engine may sync ten times to open an empty file.
  public var between: (() throws -> Void) throws -> Void
  /// Drops the store's files from the page cache; does nothing in warm cells. The store must be closed.
  public var cool: () throws -> Void
  /// Starts a fresh process that opens the store and reads the records with these keys.
  public var launch: (LaunchGoal, ClosedRange<Int64>) throws -> LaunchReport
  /// Starts a second process that works on the trial's store, see ``SecondProcess``.
  public var startPartner: (SecondProcessOrder) throws -> any RunningSecondProcess

  /// To be called in the middle of an operation when a commit has been acknowledged and more follows, with true; and
  /// with false before a commit where something else was written before. Nil unless calls are counted.
  public var acknowledged: ((_ isChange: Bool) -> Void)?

  /// Creates a context.
  ///
  /// What a trial does about stores that leave nothing behind, about files and processes is handed in; without, the
  /// store is opened and closed as the backend does it, and there is nothing to reset, to cool or to launch.
  /// `keepsRecords` says whether records that checks ask for may be kept.
  public init(
    fixture: Fixture, seed: UInt64, recordBytes: Int, isCounting: Bool, isVerifiable: Bool = true,
    keepsRecords: Bool = true, threads: Int = 1, backend: any StorageBackend.Type, environment: StoreEnvironment,
    open: (() throws -> any StorageBackend)? = nil,
    close: @escaping (any StorageBackend) throws -> Void = { try $0.close() },
    openShared: (() throws -> Provided<any SharedStore>)? = nil,
    closeShared: @escaping (any SharedStore) throws -> Void = { try $0.close() },
    reset: @escaping () throws -> Void = {},
    between: @escaping (() throws -> Void) throws -> Void = { try $0() }, cool: @escaping () throws -> Void = {},
    launch: @escaping (LaunchGoal, ClosedRange<Int64>) throws -> LaunchReport = { _, _ in
      throw StoreError.failed("this program cannot be launched for the workload")
    },
    startPartner: @escaping (SecondProcessOrder) throws -> any RunningSecondProcess = { _ in
      throw StoreError.failed("this program cannot start the second process that the workload needs")
    },
    acknowledged: ((_ isChange: Bool) -> Void)? = nil
  ) {
    records = CachedRecords(fixture.records[0], keeps: keepsRecords)
    self.fixture = Fixture([records] + fixture.records.dropFirst(), schema: fixture.schema, links: fixture.links)
    self.seed = seed
    self.recordBytes = recordBytes
    self.isCounting = isCounting
    self.isVerifiable = isVerifiable
    self.threads = threads
    self.backend = backend
    self.environment = environment
    self.open = open ?? { try backend.init(opening: environment) }
    self.close = close
    self.openShared = openShared ?? { try Capability.concurrent(opening: environment, as: backend) }
    self.closeShared = closeShared
    self.reset = reset
    self.between = between
    self.cool = cool
    self.launch = launch
    self.startPartner = startPartner
    self.acknowledged = acknowledged
  }
}

extension SessionContext {
  /// Returns the random numbers of an operation.
  func random(of operation: Int) -> RandomStream { RandomStream(seed: seed, .key, operation) }

  /// Returns a record with a new payload of the same length and a new time of change: what one small edit amounts to.
  func edited(_ record: Record, _ operation: Int) -> Record {
    var random = RandomStream(seed: seed, .change, operation)
    var record = record
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(operation + 1)
    return record
  }
}
