import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

/// Compares the operations that a store really receives with the definitions of YCSB's workloads (workloads/workloada
/// to workloadf of github.com/brianfrankcooper/YCSB).
@Suite struct MixTests {
  private static let records = 1_000

  private func workload(_ options: String...) throws -> Mix { Mix(options: try Mix.parsed(options)) }

  /// Runs operations one by one, and derives each of them from the calls on the store.
  private func execute(_ workload: Mix, operations: Int, seed: UInt64 = 4) throws -> [Execution] {
    let fixture = workload.fixture(of: GeneratedRecords(count: Self.records, bytes: 40, seed: 4))
    let store = RecordingStore(fixture.records[0].all)
    let session = workload.session(
      SessionContext(
        fixture: fixture, seed: seed, recordBytes: 40, isCounting: false, backend: RecordingStore.self,
        environment: StoreEnvironment(directory: "/nowhere"), open: { store }))
    try session.setUp()
    var executions: [Execution] = []
    var next = 0
    while next < operations {
      let block = next..<min(next + session.blockSize, operations)
      try session.prepare(block)
      for operation in block {
        store.calls = []
        try session.perform(operation)
        executions.append(try #require(Self.execution(store.calls), "\(store.calls)"))
        // The kind that the session reports is that of the calls.
        #expect(session.kinds[session.kind(of: operation)] == executions.last?.kind.rawValue)
      }
      try session.verify(block)
      next = block.upperBound
    }
    let expectation = try session.expectation(after: operations)
    #expect(try expectation.check(store).records == store.count(in: .records))
    try session.finish()
    return executions
  }

  private static func execution(_ calls: [Execution]) -> Execution? {
    guard calls.count == 2 else { return calls.count == 1 ? calls[0] : nil }
    guard calls[0].kind == .read, calls[1].kind == .update, calls[0].key == calls[1].key else { return nil }
    return Execution(kind: .readModifyWrite, key: calls[0].key)
  }

  @Test(
    arguments: [
      ("a", [.read: 0.5, .update: 0.5]), ("b", [.read: 0.95, .update: 0.05]), ("c", [.read: 1]),
      ("d", [.read: 0.95, .insert: 0.05]), ("e", [.scan: 0.95, .insert: 0.05]),
      ("f", [.read: 0.5, .readModifyWrite: 0.5]),
    ] as [(String, [MixOperation.Kind: Double])])
  func theMixIsThePublishedOne(name: String, shares: [MixOperation.Kind: Double]) throws {
    let operations = name == "e" ? 4_000 : 20_000
    let workload = try workload("ycsb=\(name)")
    let executed = try execute(workload, operations: operations)
    for kind in MixOperation.Kind.allCases {
      let count = executed.count { $0.kind == kind }
      #expect(isNear(count, shares[kind] ?? 0, of: operations), "\(kind): \(count) of \(operations)")
      if shares[kind] == nil { #expect(count == 0) }
    }
    // Insertions add the items after the last one, in order.
    let inserted = executed.filter { $0.kind == .insert }.map(\.key)
    #expect(inserted == inserted.indices.map { HashedRecords.key(Self.records + $0) })
    let requested = executed.filter { $0.kind != .insert }
    // The distributions themselves are tested with their generators.
    #expect(workload.settings.distribution == (name == "d" ? .latest : .zipfian))
    if name == "d" {
      #expect(!Set(requested.map(\.key)).isDisjoint(with: inserted))
    } else {
      // There is room for the insertions that are to be expected.
      let popular = ScrambledZipfian.item(atRank: 0, of: name == "e" ? 1_100 : Self.records)
      let counts = Dictionary(requested.map { ($0.key, 1) }, uniquingKeysWith: +)
      #expect(counts.max { $0.value < $1.value }?.key == HashedRecords.key(popular))
    }
    if name == "e" {
      let lengths = requested.map(\.length)
      #expect(lengths.allSatisfy { (1...100).contains($0) })
      // Scans near the last record are shorter. The others have all lengths from 1 to 100 equally often.
      #expect(abs(Double(lengths.reduce(0, +)) / Double(lengths.count) - 50.5) < 4)
      #expect(Set(lengths).count > 95)
    }
  }

  @Test func aMixOfOnesOwn() throws {
    let executed = try execute(
      workload("read=20", "update=20", "insert=20.5", "scan=19.5", "rmw=20", "dist=uniform", "scan-length=3"),
      operations: 4_000)
    for (kind, share) in zip(MixOperation.Kind.allCases, [0.2, 0.2, 0.205, 0.195, 0.2]) {
      #expect(isNear(executed.count { $0.kind == kind }, share, of: 4_000), "\(kind)")
    }
    // New keys continue after the last record's key. All initial records are requested equally often.
    let inserted = executed.filter { $0.kind == .insert }.map(\.key)
    #expect(inserted == inserted.indices.map { Int64(Self.records + 1 + $0) })
    let requested = executed.filter { $0.kind != .insert }.map(\.key)
    #expect(requested.allSatisfy { (1...Int64(Self.records)).contains($0) })
    #expect(Set(requested).count > 900)
    #expect(executed.filter { $0.kind == .scan }.allSatisfy { (1...3).contains($0.length) })
    let other = try execute(workload("read=100", "dist=uniform"), operations: 300, seed: 5)
    #expect(other.allSatisfy { $0.kind == .read })
  }

  @Test func aMixWithDeletionsKeepsToTheRecordsThatAreThere() throws {
    let executed = try execute(
      workload("read=30", "update=10", "insert=25", "delete=25", "rmw=10", "dist=uniform"), operations: 4_000)
    for (kind, share) in [(MixOperation.Kind.read, 0.3), (.insert, 0.25), (.delete, 0.25), (.readModifyWrite, 0.1)] {
      #expect(isNear(executed.count { $0.kind == kind }, share, of: 4_000), "\(kind)")
    }
    var keys = Set(1...Int64(Self.records))
    for execution in executed {
      #expect(keys.contains(execution.key) == (execution.kind != .insert), "\(execution)")
      if execution.kind == .insert { keys.insert(execution.key) }
      if execution.kind == .delete { keys.remove(execution.key) }
    }
  }

  @Test func theDefaultIsHalfAndHalf() throws {
    #expect(try workload().settings == MixSettings(shares: [.read: 50, .update: 50]))
    #expect(try workload("dist=latest").settings.distribution == .latest)
    #expect(try workload("ycsb=a").settings == MixSettings(shares: [.read: 50, .update: 50], isHashed: true))
  }

  @Test(arguments: [
    (["read=50", "update=49"], "the shares of workload mix (read=50, update=49) add up to 99; make them 100"),
    (["read=100", "scan=0.5"], "the shares of workload mix (read=100, scan=0.5) add up to 100.5; make them 100"),
    (["ycsb=a", "dist=uniform"], "option dist of workload mix cannot be combined with ycsb=a, which sets it"),
    (["read=85", "insert=5", "delete=10"], "workload mix would delete more than it inserts"),
    (["ycsb=b", "read=100"], "option read of workload mix cannot be combined with ycsb=b"),
  ])
  func whatDoesNotGoTogetherIsRefused(options: [String], part: String) throws {
    let parsed = try Mix.parsed(options)
    let error = #expect(throws: UsageError.self) { try Mix.description.check(parsed) }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ["read=100"], ["read=33.3", "update=33.3", "rmw=33.4"], ["read=0.1", "scan=99.9"], ["ycsb=f"], [],
    ["read=0", "update=100"],
  ])
  func whatGoesTogetherIsNot(options: [String]) throws { try Mix.description.check(try Mix.parsed(options)) }

  @Test(arguments: ["read=101", "read=-1", "read=", "read=1e1", "read=1.2345", "read=50%", "read=.", "read=nan"])
  func sharesArePercentages(option: String) {
    #expect(throws: UsageError.self) { try Mix.parsed([option]) }
  }

  @Test func oneShareHasOneSpelling() throws {
    #expect(try Mix.parsed(["read=050.0"]).description == "read=50")
    #expect(try Mix.parsed(["read=0.0"]).isEmpty)
  }

  /// Runs a mix on a store with a fault, and returns the complaint of the verification.
  private func complaint(_ options: [String], _ fault: ModelStore.Fault, isCounting: Bool) throws -> String? {
    let operations = 400
    let trial = try WorkloadTrial("mix", options: options, fault: fault, isCounting: isCounting)
    let session = try trial.session()
    return try WorkloadsTests.complaint {
      try session.setUp()
      for start in stride(from: 0, to: operations, by: 20) {
        try session.prepare(start..<start + 20)
        try session.perform(start..<start + 20) {}
        try session.verify(start..<start + 20)
      }
      try session.finish()
      _ = try session.expectation(after: operations).check(trial.context.open())
    }
  }

  private static let mixes = [
    ["ycsb=a"], ["ycsb=b"], ["ycsb=c"], ["ycsb=d"], ["ycsb=e"], ["ycsb=f"], ["insert=100"],
    ["read=20", "update=20", "insert=20", "scan=20", "rmw=20", "dist=latest"],
    ["read=20", "update=10", "insert=20", "scan=20", "rmw=10", "delete=20"],
    ["read=20", "insert=40", "delete=40", "dist=uniform", "keys=hashed"],
  ]

  @Test(arguments: mixes, [false, true])
  func aGoodStorePasses(options: [String], isCounting: Bool) throws {
    #expect(try complaint(options, .none, isCounting: isCounting) == nil)
  }

  @Test(arguments: [false, true])
  func everyKindNoticesItsOwnFault(isCounting: Bool) throws {
    func found(_ options: [String], _ fault: ModelStore.Fault) throws -> String? {
      try complaint(options, fault, isCounting: isCounting)
    }
    let flip: (inout Record) -> Void = { $0.payload[3] ^= 0x10 }
    let cut: (inout Record) -> Void = { $0.payload = [] }
    let (read, scan, rmw) = (["read=100", "dist=uniform"], ["scan=100", "dist=uniform"], ["rmw=100", "dist=uniform"])
    // Faults of reads: a wrong byte, a hidden record.
    if isCounting {
      let wrong = "record 17 was read with different bytes from those that were saved"
      let scanned = "is the first record of a scan that returned other records or bytes than were saved"
      #expect(try found(read, .changes(17, flip)) == wrong)
      #expect(try found(rmw, .changes(17, flip)) == wrong)
      #expect(try found(read, .hides(17)) == "record 17 is missing")
      #expect(try found(scan, .changes(17, flip))?.contains(scanned) == true)
      #expect(try found(scan, .hides(60))?.contains(scanned) == true)
    } else {
      #expect(try found(read, .changes(17, flip)) == "record 17 has a wrong payload")
      #expect(try found(rmw, .changes(17, flip)) == "record 17 has a wrong payload")
      #expect(try found(scan, .changes(17, flip)) == "record 17 has a wrong payload")
      #expect(try found(scan, .hides(60)) == "record 60 is missing in a scan")
      #expect(try found(scan, .invents(.sample(61))) == "record 61 is in a scan but should not be")
    }
    // A payload that is too short to be changed as planned is detected, too.
    #expect(try found(rmw, .changes(17, cut)) != nil)
    // Faults of writes: a change of any kind that is acknowledged but not made. An update stores the whole record and
    // so repairs an earlier loss, unless the record is read in between or the update is the last one.
    for commit in [0, 7, 399] {
      for kind in ["insert", "rmw"] {
        #expect(try found(["\(kind)=100"], .losesCommit(commit)) != nil, "\(kind) \(commit)")
      }
    }
    #expect(try found(["update=100"], .losesCommit(399)) != nil)
    #expect(try found(["insert=100"], .losesCommit(399)) == "record 460 is missing")
    #expect(try found(["insert=50", "delete=50"], .keepsDeleted)?.hasSuffix("is there but should not be") == true)
    let noticed = try (0..<20).filter { try found(["ycsb=a"], .losesCommit($0)) != nil }
    #expect(noticed.count >= 8, "\(noticed)")
  }

  @Test(arguments: mixes)
  func theStreamIsThatOfTheSeed(options: [String]) throws {
    func hash(_ seed: UInt64) throws -> String {
      try WorkloadTrial("mix", options: options, seed: seed).session().streamHash
    }
    #expect(try hash(4) == hash(4))
    if options != ["insert=100"] { #expect(try hash(4) != hash(5)) }
  }

  @Test func anOperationIsTheSameWheneverItIsAskedFor() throws {
    for distribution in ItemDistribution.allCases {
      let settings = MixSettings(shares: [.read: 60, .insert: 40], distribution: distribution)
      var stream = MixStream(settings, seed: 9, items: 30)
      let inOrder = (0..<500).map { stream.operation($0) }
      for number in [499, 0, 250, 249, 3] { #expect(stream.operation(number) == inOrder[number], "\(distribution)") }
    }
  }

  @Test func bytesChanged() throws {
    let source = GeneratedRecords(count: 60, bytes: 40, seed: 4)
    func bytes(_ option: String) throws -> Int {
      try WorkloadTrial("mix", options: [option], source: source).session().bytesChanged(by: 10)
    }
    // One of ten fields, and the time of change.
    #expect(try bytes("update=100") == 10 * (4 + 8))
    #expect(try bytes("rmw=100") == 10 * (4 + 8))
    #expect(try bytes("read=100") == 0)
    #expect(try bytes("insert=100") == (0..<10).reduce(0) { $0 + source.record(at: $1).logicalSize })
  }

  @Test func payloadsTooShortForTenFieldsAreChangedAllTheSame() throws {
    let trial = try WorkloadTrial(
      "mix", options: ["update=100", "dist=uniform"], source: GeneratedRecords(count: 20, bytes: 3, seed: 4))
    let session = try trial.session()
    try session.run(operations: 50, block: 50)
    #expect(trial.disk.records.values.allSatisfy { $0.payload.count == 3 })
    _ = try session.expectation(after: 50).check(trial.context.open())
    #expect(throws: VerificationError.self) { try session.expectation(after: 49).check(trial.context.open()) }
  }
}

/// A call on the store, or the operation that made its calls.
private struct Execution {
  var kind: MixOperation.Kind
  var key: Int64
  /// The number of records that a scan received.
  var length = 0
}

/// A store that records the calls on it.
private final class RecordingStore: ForwardingBackend {
  static let inner: any StorageBackend.Type = ModelStore.self

  var calls: [Execution] = []
  private let model: ModelStore
  /// The keys in ascending order. A scan of the model would sort all records.
  private var order: [Int64]

  var inner: any StorageBackend { model }

  required convenience init(opening environment: StoreEnvironment) throws { self.init([]) }

  init(_ records: [Record]) {
    model = ModelStore(records)
    order = records.map(\.id)
  }

  func commit(_ changes: [Change]) throws {
    for change in changes {
      let key = change.record.id
      let isNew = model.disk.records[key] == nil
      let put: MixOperation.Kind = isNew ? .insert : .update
      calls.append(Execution(kind: change.isDelete ? .delete : put, key: key))
      if change.isDelete {
        order.removeAll { $0 == key }
      } else if isNew {
        order.insert(key, at: order.firstIndex { $0 > key } ?? order.count)
      }
      try model.commit([change])
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    calls.append(Execution(kind: .read, key: key))
    return try model.read(key, in: collection, body)
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let records = model.disk.records
    var length = 0
    for key in order[(order.firstIndex { $0 >= keys.lowerBound } ?? order.count)...] where key <= keys.upperBound {
      length += 1
      guard let record = records[key], try record.withView(body) else { break }
    }
    calls.append(Execution(kind: .scan, key: keys.lowerBound, length: length))
  }
}
