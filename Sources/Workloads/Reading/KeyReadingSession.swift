import StorageContract

/// A function from the number of an operation to the key of the record that the operation reads.
typealias KeyStream = (Int) -> Int64

/// The base class of sessions that read one record per operation.
class KeyReadingSession: SessionStore, StoreSession {
  /// The open store and the keys to read. A pointer to this value avoids Swift's slow checks of exclusive access.
  fileprivate struct Ring {
    var store: any StorageBackend
    var keys: UnsafeMutablePointer<Int64>
    /// The capacity of the key buffer, a power of two, minus one. Operation n uses the buffer index `n & mask`.
    var mask: Int
  }

  let blockSize: Int
  fileprivate let keyOf: KeyStream
  fileprivate let ring: UnsafeMutablePointer<Ring>

  init(_ context: SessionContext, keys: @escaping KeyStream) {
    keyOf = keys
    // A block of large records has fewer operations.
    var size = 1_024
    while size > 1, size * context.recordBytes > 32 << 20 { size /= 2 }
    blockSize = size
    ring = .allocate(capacity: 1)
    super.init(context)
  }

  deinit {
    if store != nil { closeRing() }
    ring.deallocate()
  }

  func setUp() throws {
    let store = try context.open()
    ring.initialize(to: Ring(store: store, keys: .allocate(capacity: 0), mask: -1))
    self.store = store
  }

  func prepare(_ operations: Range<Int>) {
    if operations.count > ring.pointee.mask + 1 {
      var capacity = 1
      while capacity < operations.count { capacity *= 2 }
      ring.pointee.keys.deallocate()
      ring.pointee.keys = .allocate(capacity: capacity)
      ring.pointee.mask = capacity - 1
      makeRoom(capacity)
    }
    let (keys, mask) = (ring.pointee.keys, ring.pointee.mask)
    for operation in operations { keys[operation & mask] = keyOf(operation) }
  }

  fileprivate func makeRoom(_ capacity: Int) {}

  private func closeRing() {
    ring.pointee.keys.deallocate()
    ring.deinitialize(count: 1)
  }

  func perform(_ operation: Int) throws { try perform(operation..<operation + 1) {} }

  func perform(_ operations: Range<Int>, lap: () -> Void) throws {}

  func verify(_ operations: Range<Int>) throws {}

  func finish() throws {
    guard let store else { return }
    self.store = nil
    closeRing()
    try context.close(store)
  }

  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(bitPattern: keyOf(operation))) }
}

/// A session that reads whole records by key and keeps them as Swift values for verification.
final class RecordReadingSession: KeyReadingSession {
  private var results = UnsafeMutableBufferPointer<Record?>(start: nil, count: 0)

  deinit { freeResults() }

  private func freeResults() {
    results.deinitialize()
    results.deallocate()
  }

  override fileprivate func makeRoom(_ capacity: Int) {
    freeResults()
    results = .allocate(capacity: capacity)
    results.initialize(repeating: nil)
  }

  override func prepare(_ operations: Range<Int>) {
    super.prepare(operations)
    let (results, mask) = (results, ring.pointee.mask)
    // The results of the last block are released here, in the untimed part.
    for operation in operations { results[operation & mask] = nil }
  }

  override func perform(_ operations: Range<Int>, lap: () -> Void) throws {
    try read(ring.pointee.store, ring.pointee, results, operations, lap)
  }

  /// Reads one record per operation. The method is generic, because dynamic dispatch would double the time.
  private func read<Store: StorageBackend>(
    _ store: Store, _ ring: Ring, _ results: UnsafeMutableBufferPointer<Record?>, _ operations: Range<Int>,
    _ lap: () -> Void
  ) throws {
    for operation in operations {
      let slot = operation & ring.mask
      results[slot] = try store.record(ring.keys[slot], in: .records)
      lap()
    }
  }

  override func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    let (ring, source, results) = (ring.pointee, context.records, results)
    for operation in operations {
      let slot = operation & ring.mask
      let key = ring.keys[slot]
      let index = source.index(of: key)
      // The record is moved out, because copying it costs more than the comparison.
      let found = results[slot].take()
      // The slower comparison, which names the difference, runs only if a record differs.
      if let index, let found, source.isRecord(found, at: index) { continue }
      try Expectation.compare(found, with: index.map { source.record(at: $0) }, key: key)
    }
  }
}

/// A session that reads every byte of records in place, and keeps only a sum of the bytes for verification.
final class ByteReadingSession: KeyReadingSession {
  private var sums = UnsafeMutableBufferPointer<UInt64>(start: nil, count: 0)

  deinit { sums.deallocate() }

  override fileprivate func makeRoom(_ capacity: Int) {
    sums.deallocate()
    sums = .allocate(capacity: capacity)
    sums.initialize(repeating: 0)
  }

  override func perform(_ operations: Range<Int>, lap: () -> Void) throws {
    try read(ring.pointee.store, ring.pointee, sums, operations, lap)
  }

  /// Reads the bytes of one record per operation. The method is generic, to avoid dynamic dispatch.
  private func read<Store: StorageBackend>(
    _ store: Store, _ ring: Ring, _ sums: UnsafeMutableBufferPointer<UInt64>, _ operations: Range<Int>,
    _ lap: () -> Void
  ) throws {
    for operation in operations {
      let slot = operation & ring.mask
      var sum: UInt64 = 0
      _ = try store.read(ring.keys[slot], in: .records) { sum = ByteSum.of($0) }
      sums[slot] = sum
      lap()
    }
  }

  override func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    let (ring, source, sums) = (ring.pointee, context.source, sums)
    for operation in operations {
      let slot = operation & ring.mask
      let key = ring.keys[slot]
      let sum = source.index(of: key).map { source.record(at: $0).withView { ByteSum.of($0) } } ?? 0
      if sums[slot] != sum {
        throw VerificationError(
          key: key,
          sums[slot] == 0 ? "is missing" : "was read with different bytes from those that were saved")
      }
    }
  }
}

extension SessionContext {
  var uniformKeys: KeyStream {
    let (source, seed) = (source, seed)
    return { source.key(at: RandomStream.number(below: source.count, seed: seed, .key, $0)) }
  }

  /// A function from the number of an operation to a key. A few scattered keys get most reads: a zipfian distribution.
  var hotKeys: KeyStream {
    let (source, seed) = (source, seed)
    let zipfian = Zipfian(count: source.count)
    return { operation in
      var random = RandomStream(seed: seed, .key, operation)
      let rank = zipfian.rank(random.fraction())
      return source.key(at: RandomStream.number(below: source.count, seed: seed, .order, rank))
    }
  }

  /// A function from the number of an operation to a key that no record has, above or below all existing keys.
  var missingKeys: KeyStream {
    let (source, seed) = (source, seed)
    return { operation in
      let distance = Int64(RandomStream.number(below: max(1, source.count), seed: seed, .key, operation))
      return operation.isMultiple(of: 2)
        ? source.unusedKey(Int(distance)) : (source.count == 0 ? 0 : source.key(at: 0)) &- 1 &- distance
    }
  }
}
