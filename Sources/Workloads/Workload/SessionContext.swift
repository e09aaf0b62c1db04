import StorageContract

/// The conditions of a trial (a process that measures one workload), and actions that its session needs, such as
/// opening the store.
public struct SessionContext {
  /// The content of the store before the first operation. If the workload starts with an empty store, these are the
  /// records to insert.
  public let fixture: Fixture
  /// The records of the store's first collection.
  public var source: any RecordSource { records }
  /// The records of the first collection, cached for fast checks. Only the session's thread may use the cache.
  let records: CachedRecords
  /// The records of the first collection without a cache, for any thread.
  var sharedSource: any RecordSource { records.uncached }
  /// The seed of the random operations.
  public var seed: UInt64
  /// The length of new payloads in bytes.
  public var recordBytes: Int
  /// Whether the trial counts system calls instead of timing operations. The session then works only in this process.
  public var isCounting: Bool
  /// Whether the backend returns the records that it has stored. A backend that stores nothing cannot be verified.
  public var isVerifiable: Bool
  /// The number of threads that run operations concurrently.
  public var threads: Int
  /// The type of the measured backend.
  public var backend: any StorageBackend.Type
  /// The environment of the trial's store: its directory, durability and options.
  public var environment: StoreEnvironment
  /// A function that opens the trial's store.
  public var open: () throws -> any StorageBackend
  /// A function that closes the trial's store. A store that is only in memory stays open until the trial ends.
  public var close: (any StorageBackend) throws -> Void
  /// A function that opens the trial's store for several threads. A session calls this function or ``open``.
  public var openShared: () throws -> Provided<any SharedStore>
  /// A function that closes a store from ``openShared``. A store only in memory stays open until the trial ends.
  public var closeShared: (any SharedStore) throws -> Void
  /// A function that restores the initial files of the closed store: a copy of the prepared store, or none if the
  /// workload starts with an empty store.
  public var reset: () throws -> Void
  /// A function that copies the closed store's files into a new directory and syncs the copy.
  public var copyFiles: (_ directory: String) throws -> Void
  /// A function that runs untimed work between operations, such as restoring the store. In a timed trial, each sync in
  /// this work returns at once, because an engine may sync ten times to open an empty file. After the work, everything
  /// is written to disk.
  public var between: (() throws -> Void) throws -> Void
  /// A function that drops the closed store's files from the page cache if the trial must read from the disk.
  public var cool: () throws -> Void
  /// A function that starts a process, which opens the store and reads the records in a range of keys. The goal says
  /// which records must be read before the launch counts as finished.
  public var launch: (LaunchGoal, ClosedRange<Int64>) throws -> LaunchReport
  /// A function that starts a second process, which saves into the trial's store: see ``SecondProcess``.
  public var startPartner: (SecondProcessOrder) throws -> any RunningSecondProcess

  /// A function by which an operation with several commits reports each commit, so that the system calls of each commit
  /// are counted separately. Nil unless system calls are counted. The session passes true after each commit. It passes
  /// false before a commit to separate earlier writes, such as those of opening the store, from the commit.
  public var acknowledged: ((_ isChange: Bool) -> Void)?

  /// Creates the conditions of a trial. If `keepsRecords` is true, records may be cached for checks.
  ///
  /// By default, the functions open and close the store through the backend. The default `reset` and `cool` do nothing,
  /// and the default `launch` and `startPartner` throw an error.
  public init(
    fixture: Fixture, seed: UInt64, recordBytes: Int, isCounting: Bool, isVerifiable: Bool = true,
    keepsRecords: Bool = true, threads: Int = 1, backend: any StorageBackend.Type, environment: StoreEnvironment,
    open: (() throws -> any StorageBackend)? = nil,
    close: @escaping (any StorageBackend) throws -> Void = { try $0.close() },
    openShared: (() throws -> Provided<any SharedStore>)? = nil,
    closeShared: @escaping (any SharedStore) throws -> Void = { try $0.close() },
    reset: @escaping () throws -> Void = {}, copyFiles: ((_ directory: String) throws -> Void)? = nil,
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
    self.copyFiles = copyFiles ?? { try FileCopy.make(of: environment.directory, at: $0) }
    self.between = between
    self.cool = cool
    self.launch = launch
    self.startPartner = startPartner
    self.acknowledged = acknowledged
  }
}

extension SessionContext {
  func random(of operation: Int) -> RandomStream { RandomStream(seed: seed, .key, operation) }

  /// Returns a record after a small edit: a new payload of the same length and a new modification time.
  func edited(_ record: Record, _ operation: Int) -> Record {
    var random = RandomStream(seed: seed, .change, operation)
    var record = record
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(operation + 1)
    return record
  }
}
