import StorageContract

/// A workload that changes, adds and deletes countries. Each country is found by reading all records or by its key.
struct CountryCRUD: Workload {
  static let lookup = OptionSpec("lookup", ["scan", "key"], help: "find a country by reading all, or by its key")

  static let description = WorkloadDescription(
    id: "country-crud", question: "What does finding by reading everything cost?",
    operation: "change a country's population, add a country, delete one: each found first, and saved",
    options: [lookup], access: .writes, counted: .changes, collections: ["countries"])

  let options: Options

  func fixture(of source: any RecordSource) -> Fixture {
    let countries = (0..<source.count).map { index in
      let drawn = source.record(at: index)
      return Country.record(
        Int64(index) + 1, population: (drawn.score * 1_400_000).rounded(),
        area: drawn.modified.truncatingRemainder(dividingBy: 17_000_000))
    }
    return Fixture(RecordList(countries))
  }

  func session(_ context: SessionContext) -> any WorkloadSession { CountrySession(context, options) }
}

/// A session in which each operation changes one country, adds one, and deletes the one with the smallest key.
private final class CountrySession: SessionStore, StoreSession {
  struct Step {
    var changed: Int64
    var population: Double
    var added: Record
    var deleted: Int64
  }

  let blockSize = 16
  private let scans: Bool
  private var block = Block<Step>()
  /// The results of three lookups per operation: for the country to change, to add and to delete. Nil means not found.
  private var found: [[Record?]] = []
  private var state: Expectation

  init(_ context: SessionContext, _ options: Options) {
    scans = options[CountryCRUD.lookup] == "scan"
    state = Expectation(context.fixture)
    super.init(context)
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
    (0..<operations).reduce(into: Expectation(context.fixture)) { apply(step($1), to: &$0) }
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    let step = step(operation)
    hash.add(UInt64(bitPattern: step.changed))
    hash.add(step.population.bitPattern)
    step.added.withView { hash.add($0) }
    hash.add(UInt64(bitPattern: step.deleted))
  }
}

/// A generator of records for countries, with real names and capitals. Repeated names get a number, as in `Austria 2`.
private enum Country {
  private static let names: [(name: String, capital: String)] = [
    ("Argentina", "Buenos Aires"), ("Australia", "Canberra"), ("Austria", "Wien"), ("België", "Brussel"),
    ("Brasil", "Brasília"), ("България", "София"), ("Canada", "Ottawa"), ("Chile", "Santiago"), ("中国", "北京"),
    ("Colombia", "Bogotá"), ("Cuba", "La Habana"), ("Danmark", "København"), ("Deutschland", "Berlin"),
    ("مصر", "القاهرة"), ("España", "Madrid"), ("Eesti", "Tallinn"), ("France", "Paris"), ("Ελλάδα", "Αθήνα"),
    ("Hrvatska", "Zagreb"), ("भारत", "नई दिल्ली"), ("Indonesia", "Jakarta"), ("Ireland", "Dublin"),
    ("Ísland", "Reykjavík"), ("Italia", "Roma"), ("日本", "東京"), ("Kenya", "Nairobi"), ("Latvija", "Rīga"),
    ("Lietuva", "Vilnius"), ("Magyarország", "Budapest"), ("México", "Ciudad de México"), ("Nederland", "Amsterdam"),
    ("New Zealand", "Wellington"), ("Norge", "Oslo"), ("Perú", "Lima"), ("Polska", "Warszawa"),
    ("Portugal", "Lisboa"), ("România", "București"), ("Slovenija", "Ljubljana"), ("Slovensko", "Bratislava"),
    ("Suomi", "Helsinki"), ("Sverige", "Stockholm"), ("ประเทศไทย", "กรุงเทพ"), ("Türkiye", "Ankara"),
    ("Україна", "Київ"), ("Uruguay", "Montevideo"), ("Việt Nam", "Hà Nội"), ("대한민국", "서울"), ("Česko", "Praha"),
  ]

  /// Returns the country with a given key, from 1, as a record: capital as group, population as score, area as payload.
  static func record(_ key: Int64, population: Double, area: Double) -> Record {
    let (lap, index) = (Int(key) - 1).quotientAndRemainder(dividingBy: names.count)
    return Record(
      id: key, name: lap == 0 ? names[index].name : "\(names[index].name) \(lap + 1)", group: names[index].capital,
      score: population, modified: 0,
      payload: withUnsafeBytes(of: area.bitPattern.littleEndian) { Array($0) })
  }
}
