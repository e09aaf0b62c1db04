import StorageContract

/// A workload that changes, adds and deletes countries. Each country is found by reading all records or by its key.
public struct CountryCRUD: Workload {
  static let lookup = OptionSpec("lookup", ["scan", "key"], help: "find a country by reading all, or by its key")

  public static let description = WorkloadDescription(
    id: "country-crud", question: "What does finding by reading everything cost?",
    operation: "change a country's population, add a country, delete one: each found first, and saved",
    options: [lookup], access: .writes, collections: [Country.collection])

  private let scans: Bool

  public init(options: Options) { scans = options[Self.lookup] == "scan" }

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedChanges(records: records, kind: kind) }

  public func fixture(of source: any RecordSource) -> Fixture {
    let countries = (0..<source.count).map { index in
      let drawn = source.record(at: index)
      return Country.record(
        Int64(index) + 1, population: (drawn.score * 1_400_000).rounded(),
        area: drawn.modified.truncatingRemainder(dividingBy: 17_000_000))
    }
    return Fixture(RecordList(countries))
  }

  public func session(_ context: SessionContext) -> any WorkloadSession { CountrySession(context, scans: scans) }
}

/// A session in which each operation changes one country, adds one, and deletes the one with the smallest key.
private final class CountrySession: StoreSession {
  /// The input of one operation: the countries to change, add and delete.
  struct Step {
    var changed: Int64
    var population: Double
    var added: Record
    var deleted: Int64
  }

  let blockSize = 16
  let context: SessionContext
  private let scans: Bool
  var store: (any StorageBackend)?
  private var block = Block<Step>()
  /// The results of three lookups per operation: for the country to change, to add and to delete. Nil means not found.
  private var found: [[Record?]] = []
  private var state: Expectation

  init(_ context: SessionContext, scans: Bool) {
    self.context = context
    self.scans = scans
    state = Expectation(context.fixture)
  }

  private func step(_ operation: Int) -> Step {
    var random = RandomStream(seed: context.seed, .change, operation)
    let count = context.source.count
    return Step(
      changed: Int64(operation + 1 + random.below(count)), population: Double(random.below(1_400_000_000)),
      added: Country.record(
        Int64(operation + count + 1), population: Double(random.below(1_400_000_000)),
        area: random.fraction() * 17_000_000),
      deleted: Int64(operation + 1))
  }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, step)
    found = []
    found.reserveCapacity(operations.count)
  }

  func perform(_ operation: Int) throws {
    let store = store.unsafelyUnwrapped
    let step = block[operation]
    let changed = try find(step.changed, in: store)
    if var country = changed {
      country.score = step.population
      try commit(.put(country), to: store)
    }
    let added = try find(step.added.id, in: store)
    if added == nil { try commit(.put(step.added), to: store) }
    let deleted = try find(step.deleted, in: store)
    if let country = deleted { try commit(.delete(country.id), to: store) }
    found.append([changed, added, deleted])
  }

  func endsInSave(_ operation: Int) -> Bool { false }

  private func commit(_ change: Change, to store: any StorageBackend) throws {
    try store.commit([change])
    context.acknowledged?(true)
  }

  private func find(_ key: Int64, in store: any StorageBackend) throws -> Record? {
    guard scans else { return try store.record(key, in: .records) }
    return try store.records(.all, in: .records).first { $0.id == key }
  }

  func verify(_ operations: Range<Int>) throws {
    for (operation, found) in zip(operations, found) where context.isVerifiable {
      let step = step(operation)
      try Expectation.compare(found[0], with: state.record(step.changed), key: step.changed)
      try Expectation.compare(found[1], with: nil, key: step.added.id)
      apply(step, to: &state, keepingDeleted: true)
      try Expectation.compare(found[2], with: state.record(step.deleted), key: step.deleted)
      state.apply(.delete(step.deleted))
    }
  }

  private func apply(_ step: Step, to expectation: inout Expectation, keepingDeleted: Bool = false) {
    if var country = expectation.record(step.changed) {
      country.score = step.population
      expectation.apply(.put(country))
    }
    expectation.apply(.put(step.added))
    if !keepingDeleted { expectation.apply(.delete(step.deleted)) }
  }

  func bytesChanged(by operations: Int) -> Int {
    (0..<operations).reduce(0) { sum, operation in
      // The byte size of a country depends only on its key, not on its population or area.
      let gone = Country.record(Int64(operation + 1), population: 0, area: 0)
      return sum + 8 + step(operation).added.logicalSize + gone.logicalSize
    }
  }

  func expectation(after operations: Int) -> Expectation {
    var expectation = Expectation(context.fixture)
    for operation in 0..<operations { apply(step(operation), to: &expectation) }
    return expectation
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    let step = step(operation)
    hash.add(UInt64(bitPattern: step.changed))
    hash.add(step.population.bitPattern)
    step.added.withView { hash.add($0) }
    hash.add(UInt64(bitPattern: step.deleted))
  }
}
