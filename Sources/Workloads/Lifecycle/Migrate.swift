import StorageContract

/// A workload that changes the schema of a store, as an app does at the first launch of a new version.
struct Migrate: Workload {
  enum Kind: String, CaseIterable {
    case add, rename, drop, index, split, rebuild
  }

  static let change = OptionSpec(
    "change", Kind.allCases.map(\.rawValue),
    help: """
      add, rename or drop an attribute, create an index of the names, move payloads to a collection of their own, or \
      drop the attribute by SQLite's steps for rebuilding a table
      """)

  static let description = WorkloadDescription(
    id: "migrate", question: "What does a schema change at launch cost?",
    operation: """
      open the store of the old version and add an attribute with a default to every record, or make another change of \
      the schema
      """,
    options: [change], access: .writes,
    capability: { $0[change] == Kind.index.rawValue ? .querying : .migrating },
    obstacle: { options, store in
      let engine = store.backend as? any Migrating.Type
      return switch Kind(rawValue: options[change]) {
      case .index where !Capability.querying.isNative(in: store.backend): "it has no indexes but that of its keys"
      case .rebuild where engine?.rebuildsTables != true:
        "it has no table that SQL could rebuild; that is the row with change=drop"
      case .index: nil
      default: engine?.obstacleToMigrations(store.options)
      }
    })

  let options: Options

  private var kind: Kind { Kind(rawValue: options[Self.change]) ?? .add }

  var collections: [String] { Self.description.collections + (kind == .split ? ["payloads"] : []) }

  func fixture(of source: any RecordSource) -> Fixture {
    kind == .split ? Fixture([source, RecordList([])]) : Fixture(source)
  }

  func session(_ context: SessionContext) throws -> any WorkloadSession { try MigrateSession(context, kind) }
}

private final class MigrateSession: FreshStoreSession {
  private static let markedValue = "yes"
  private let kind: Migrate.Kind
  private let attribute: AddedAttribute
  private let change: SchemaChange?
  /// The keys of the records with a non-default value in the attribute to rename or drop. Empty for other migrations.
  private let marked: [Int64]

  init(_ context: SessionContext, _ kind: Migrate.Kind) throws {
    self.kind = kind
    attribute = try AddedAttribute("favourite", defaultValue: "no")
    change =
      switch kind {
      case .add: .add(attribute)
      case .rename: .rename(attribute, to: try AddedAttribute("starred", defaultValue: "no"))
      case .drop, .rebuild: .drop(attribute, byRebuild: kind == .rebuild)
      case .split: .split(into: CollectionID(1))
      case .index: nil
      }
    var random = RandomStream(seed: context.seed, .key, 0)
    let source = context.source
    let hasAttribute = [.rename, .drop, .rebuild].contains(kind)
    marked = hasAttribute ? Set((0..<8).map { _ in source.key(at: random.below(source.count)) }).sorted() : []
    super.init(context)
  }

  /// Leaves the store closed, because opening it is part of the operation.
  override func setUp() {}

  override func prepare(_ operations: Range<Int>) throws {
    try super.prepare(operations)
    guard !marked.isEmpty else { return }
    try context.between {
      let store = try context.open()
      let migrating = Capability.migrating(of: store).value
      try migrating.add(attribute, in: .records)
      for key in marked { _ = try migrating.set(attribute, to: Self.markedValue, of: key, in: .records) }
      try store.settle()
      try context.close(store)
    }
    try context.cool()
  }

  override func perform(_ operation: Int) throws {
    let store = try context.open()
    if let change {
      try Capability.migrating(of: store).value.change(change, in: .records)
    } else if try !Capability.querying(of: store).value.index(.name, in: .records) {
      throw StoreError.failed(
        "the store makes no index of the field 'name', which change=index needs; run this with another change=")
    }
    self.store = store
  }

  override func check(_ store: any StorageBackend, _ operations: Range<Int>) throws {
    try super.check(store, operations)
    if kind == .index { try SecondaryIndexes.check([.name], of: store) }
  }

  override func bytesChanged(by operations: Int) -> Int {
    let length = attribute.defaultValue.utf8.count
    let bytes =
      switch kind {
      case .index: context.source.all.reduce(0) { $0 + $1.name.utf8.count }
      case .split: context.source.all.reduce(0) { $0 + $1.payload.count }
      default: context.source.count * length + marked.count * (Self.markedValue.utf8.count - length)
      }
    return operations * bytes
  }

  override func expectation(after operations: Int) -> Expectation {
    var expectation = Expectation(context.fixture)
    guard operations > 0, let change else { return expectation }
    if !marked.isEmpty { expectation.apply(SchemaChange.add(attribute)) }
    for key in marked { expectation.set(Self.markedValue, of: key) }
    expectation.apply(change)
    return expectation
  }

  override func hash(_ operation: Int, into hash: inout StableHash) {
    super.hash(operation, into: &hash)
    for key in marked { hash.add(UInt64(bitPattern: key)) }
  }
}
