import StorageContract

/// The conditions of a measuring process, such as the seed of random numbers, and functions such as ``open``.
public struct SessionContext {
  /// The content of the store before the first operation, or the records to insert if the store starts empty.
  public let fixture: Fixture
  /// The initial records of the store's first collection.
  public var source: any RecordSource { records }
  /// The initial records of the first collection, cached for fast checks. The cache may be used on one thread only.
  let records: CachedRecords
  /// The initial records of the store's first collection, without a cache, for sessions with several threads.
  var sharedSource: any RecordSource { records.source }
  /// The seed of all random choices of the operations.
  public var seed: UInt64
  /// The length of new payloads in bytes.
  public var recordBytes: Int
  /// Whether the process counts system calls instead of measuring time.
  public var isCounting: Bool
  /// Whether stored records can be verified. False for a backend that stores nothing.
  public var isVerifiable: Bool
  /// The number of threads that run operations concurrently.
  public var threads: Int
  /// The type of the measured backend.
  public var backend: any StorageBackend.Type
  /// The environment of the measured store: its directory, durability and options.
  public var environment: StoreEnvironment
  /// A function that opens the measured store.
  public var open: () throws -> any StorageBackend
  /// A function that closes the measured store, unless the store exists only in memory.
  public var close: (any StorageBackend) throws -> Void
  /// A function that opens the store for several threads. A session calls either this function or ``open``.
  public var openShared: () throws -> Provided<any SharedStore>
  /// A function that closes a store from ``openShared``, unless the store exists only in memory.
  public var closeShared: (any SharedStore) throws -> Void = { try $0.close() }
  /// A function that restores the files that the closed store had before the first operation.
  public var reset: () throws -> Void
  /// A function that copies the closed store's files into a new directory and syncs the copy.
  public var copyFiles: (_ directory: String) throws -> Void
  /// A function that runs the given untimed work between two operations, such as a restoration of the store's files.
  public var between: (() throws -> Void) throws -> Void = { try $0() }
  /// A function that drops the closed store's files from the page cache, if reads from the disk are measured.
  public var cool: () throws -> Void = {}
  /// A function that launches a process, which opens the store and reads the records with keys in the given range.
  public var launch: (LaunchGoal, ClosedRange<Int64>) throws -> LaunchReport
  /// A function that starts a second process, which saves into the measured store.
  public var startPartner: (SecondProcessOrder) throws -> any RunningSecondProcess

  /// A function to call after a commit (true) or after other work (false). System calls since the function's previous
  /// call are counted for the commit or the work. Nil if time is measured.
  public var acknowledged: ((_ isChange: Bool) -> Void)?

  /// Creates the conditions of a measuring process. If `keepsRecords` is true, records may be cached for checks. By
  /// default, `launch` and `startPartner` throw ``StoreError``. All other properties can be set afterwards.
  public init(
    fixture: Fixture, seed: UInt64, recordBytes: Int, isCounting: Bool, isVerifiable: Bool = true,
    keepsRecords: Bool = true, threads: Int = 1, backend: any StorageBackend.Type, environment: StoreEnvironment,
    open: (() throws -> any StorageBackend)? = nil,
    close: @escaping (any StorageBackend) throws -> Void = { try $0.close() },
    openShared: (() throws -> Provided<any SharedStore>)? = nil,
    reset: @escaping () throws -> Void = {}, copyFiles: ((_ directory: String) throws -> Void)? = nil,
    launch: @escaping (LaunchGoal, ClosedRange<Int64>) throws -> LaunchReport = { _, _ in
      throw StoreError.failed(
        "the workload launches a process that reads records; "
          + "pass launch: to SessionContext, or use 'storage-bench run'")
    },
    startPartner: @escaping (SecondProcessOrder) throws -> any RunningSecondProcess = { _ in
      throw StoreError.failed(
        "the workload needs a second process; pass startPartner: to SessionContext, or use 'storage-bench run'")
    }
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
    self.reset = reset
    self.copyFiles = copyFiles ?? { try FileCopy.make(of: environment.directory, at: $0) }
    self.launch = launch
    self.startPartner = startPartner
  }
}

extension StoreEnvironment {
  /// Returns whether a backend promises at least the given safety level in this environment.
  func promises(_ least: Level, by backend: any StorageBackend.Type) -> Bool {
    if case .level(let level) = backend.promise(durability, options) { level >= least } else { false }
  }
}

extension SessionContext {
  /// Returns the random number of an operation, from 0 to `bound - 1`. The number depends only on the seed, the
  /// operation and `bound`.
  func drawn(_ operation: Int, below bound: Int) -> Int {
    RandomStream.number(below: bound, seed: seed, .key, operation)
  }

  func drawnRecord(_ operation: Int) -> Record { source.record(at: drawn(operation, below: source.count)) }

  /// Returns a copy of a record with a new payload of the same length and a new modification time.
  func edited(_ record: Record, _ operation: Int) -> Record {
    var random = RandomStream(seed: seed, .change, operation)
    var record = record
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(operation + 1)
    return record
  }
}
