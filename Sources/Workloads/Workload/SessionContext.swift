import StorageContract

/// The conditions of a trial and the actions that a session can request from it.
public struct SessionContext {
  /// The store's content at the start or, for a workload that starts empty, the records to put into the store.
  public let fixture: Fixture
  /// The records of the first collection.
  public var source: any RecordSource { records }
  /// The records of the first collection, cached for a million checks. For the session's own thread only.
  let records: CachedRecords
  /// The records of the first collection for all threads, without a cache.
  var sharedSource: any RecordSource { records.uncached }
  /// The seed of the operations.
  public var seed: UInt64
  /// The length of new payloads in bytes.
  public var recordBytes: Int
  /// Whether the trial is a cost pass, which counts calls. The session then does all work in this process.
  public var isCounting: Bool
  /// Whether the backend returns stored records, so that they can be verified.
  public var isVerifiable: Bool
  /// The number of threads that run operations concurrently.
  public var threads: Int
  /// The type of the measured backend.
  public var backend: any StorageBackend.Type
  /// The environment of the trial's store, for a ``Capability`` that opens or compacts the store in another way.
  public var environment: StoreEnvironment
  /// Opens the trial's store.
  public var open: () throws -> any StorageBackend
  /// Closes the store. A store without persistence stays open until the trial ends.
  public var close: (any StorageBackend) throws -> Void
  /// Opens the trial's store for several threads, instead of ``open``.
  public var openShared: () throws -> Provided<any SharedStore>
  /// Closes the shared store. A store without persistence stays open until the trial ends.
  public var closeShared: (any SharedStore) throws -> Void
  /// Restores the store to its initial content: a copy of the fixture, or nothing. The store must be closed.
  public var reset: () throws -> Void
  /// Runs work between operations, such as restoring the store. The work does not wait for each sync. Everything is
  /// written back at the end, because an engine may sync ten times to open an empty file.
  public var between: (() throws -> Void) throws -> Void
  /// Drops the store's files from the page cache; does nothing in warm cells. The store must be closed.
  public var cool: () throws -> Void
  /// Starts a new process that opens the store and reads the records with these keys.
  public var launch: (LaunchGoal, ClosedRange<Int64>) throws -> LaunchReport
  /// Starts a second process that works on the trial's store: see ``SecondProcess``.
  public var startPartner: (SecondProcessOrder) throws -> any RunningSecondProcess

  /// Reports progress within an operation: true after a commit was acknowledged and more work follows, false before a
  /// commit if something else was written before it. Nil unless calls are counted.
  public var acknowledged: ((_ isChange: Bool) -> Void)?

  /// Creates a context.
  ///
  /// By default, the store is opened and closed by the backend. There is then nothing to reset or cool, and no process
  /// can be started. `keepsRecords` is whether records may be cached for checks.
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
  func random(of operation: Int) -> RandomStream { RandomStream(seed: seed, .key, operation) }

  /// Returns a record with a new payload of the same length and a new modification time, as after a small edit.
  func edited(_ record: Record, _ operation: Int) -> Record {
    var random = RandomStream(seed: seed, .change, operation)
    var record = record
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(operation + 1)
    return record
  }
}
