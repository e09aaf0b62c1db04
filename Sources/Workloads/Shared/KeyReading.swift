import Contract

/// Which keys a reading workload asks for: a pure function of the operation's number.
typealias KeyStream = (Int) -> Int64

/// What sessions that read by key have in common: a ring of prepared keys over an open store.
///
/// Buffers and not arrays: an operation may take 50 ns, and an access check of a class's array 5.
class KeyReadingSession: WorkloadSession {
  let blockSize: Int
  let limit: Int? = nil
  let context: SessionContext
  fileprivate let keyOf: KeyStream
  fileprivate var keys: UnsafeMutableBufferPointer<Int64>
  fileprivate var mask: Int
  fileprivate var store: (any StorageBackend)?

  init(_ context: SessionContext, keys: @escaping KeyStream) {
    self.context = context
    keyOf = keys
    // A power of two, so that an operation's place in the ring is a mask away; fewer where records are large.
    var size = 1_024
    while size > 1, size * context.recordBytes > 32 << 20 { size /= 2 }
    blockSize = size
    self.keys = .allocate(capacity: size)
    mask = size - 1
  }

  deinit { keys.deallocate() }

  var settings: String { store?.settings ?? "" }

  func setUp() throws { store = try context.open() }

  func prepare(_ operations: Range<Int>) {
    var size = keys.count
    while size < operations.count { size *= 2 }
    if size > keys.count {
      resize(to: size)
    }
    for operation in operations { keys[operation & mask] = keyOf(operation) }
  }

  fileprivate func resize(to size: Int) {
    keys.deallocate()
    keys = .allocate(capacity: size)
    mask = size - 1
  }

  func perform(_ operation: Int) throws {}

  func verify(_ operations: Range<Int>) throws {}

  func finish() throws {
    try store.map(context.close)
    store = nil
  }

  func expectation(after operations: Int) -> Expectation { Expectation(context.source) }

  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(bitPattern: keyOf(operation))) }

  /// The record that a read must have given.
  fileprivate func expected(_ operation: Int) -> Record? {
    context.source.index(of: keyOf(operation)).map { context.source.record(at: $0) }
  }
}

/// Reads full records as Swift values.
final class RecordReadingSession: KeyReadingSession {
  private var results: UnsafeMutableBufferPointer<Record?>

  override init(_ context: SessionContext, keys: @escaping KeyStream) {
    results = .allocate(capacity: 0)
    super.init(context, keys: keys)
    results = Self.ring(blockSize)
  }

  deinit {
    results.deinitialize()
    results.deallocate()
  }

  private static func ring(_ size: Int) -> UnsafeMutableBufferPointer<Record?> {
    let ring = UnsafeMutableBufferPointer<Record?>.allocate(capacity: size)
    ring.initialize(repeating: nil)
    return ring
  }

  override fileprivate func resize(to size: Int) {
    super.resize(to: size)
    results.deinitialize()
    results.deallocate()
    results = Self.ring(size)
  }

  override func prepare(_ operations: Range<Int>) {
    super.prepare(operations)
    // Releasing the block before is the untimed part's business.
    for operation in operations { results[operation & mask] = nil }
  }

  override func perform(_ operation: Int) throws {
    let place = operation & mask
    results[place] = try store.unsafelyUnwrapped.record(keys[place], in: .records)
  }

  override func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    for operation in operations {
      try Expectation.compare(results[operation & mask], with: expected(operation), key: keyOf(operation))
    }
  }
}

/// Reads through the lent view and touches every byte, keeping nothing.
final class ByteReadingSession: KeyReadingSession {
  private var sums: UnsafeMutableBufferPointer<UInt64>

  override init(_ context: SessionContext, keys: @escaping KeyStream) {
    sums = .allocate(capacity: 0)
    super.init(context, keys: keys)
    sums.deallocate()
    sums = .allocate(capacity: blockSize)
  }

  deinit { sums.deallocate() }

  override fileprivate func resize(to size: Int) {
    super.resize(to: size)
    sums.deallocate()
    sums = .allocate(capacity: size)
  }

  override func perform(_ operation: Int) throws {
    let place = operation & mask
    var sum: UInt64 = 0
    _ = try store.unsafelyUnwrapped.read(keys[place], in: .records) { sum = ByteSum.of($0) }
    sums[place] = sum
  }

  override func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    for operation in operations {
      let sum = expected(operation)?.withView { ByteSum.of($0) } ?? 0
      if sums[operation & mask] != sum {
        throw VerificationError(key: keyOf(operation), "gave other bytes than it holds")
      }
    }
  }
}

extension SessionContext {
  /// Every key as likely as any other.
  var uniformKeys: KeyStream {
    let (source, seed) = (source, seed)
    return { operation in
      var random = RandomStream(seed: seed, .key, operation)
      return source.key(at: random.below(source.count))
    }
  }

  /// A few keys again and again, scattered over the store.
  var hotKeys: KeyStream {
    let (source, seed) = (source, seed)
    let zipfian = Zipfian(count: source.count)
    return { operation in
      var random = RandomStream(seed: seed, .key, operation)
      let rank = zipfian.rank(random.fraction())
      // Popular keys are not neighbours: the rank is scattered by a hash.
      var scatter = RandomStream(seed: seed, .order, rank)
      return source.key(at: scatter.below(source.count))
    }
  }

  /// Keys that no record has, half of them below all others, half above.
  var missingKeys: KeyStream {
    let (source, seed) = (source, seed)
    return { operation in
      var random = RandomStream(seed: seed, .key, operation)
      let distance = Int64(random.below(max(1, source.count)))
      return operation.isMultiple(of: 2)
        ? source.unusedKey(Int(distance)) : (source.count == 0 ? 0 : source.key(at: 0)) &- 1 &- distance
    }
  }
}

/// How many reads the cost pass counts, on every kind of engine.
let countedReads = 2_000
