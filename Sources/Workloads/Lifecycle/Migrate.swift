import StorageContract

/// A workload that adds an attribute to the schema, as on the first launch of an app's new version.
public struct Migrate: Workload {
  public static let description = WorkloadDescription(
    id: "migrate", question: "What does a schema change at launch cost?",
    operation: "open the store of the old version and add an attribute with a default to every record",
    access: .writes, capability: .migrating)

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int { 1 }

  public func session(_ context: SessionContext) throws -> any WorkloadSession {
    MigrateSession(context, try AddedAttribute("favourite", defaultValue: "no"))
  }
}

private final class MigrateSession: FreshStoreSession {
  private let attribute: AddedAttribute

  init(_ context: SessionContext, _ attribute: AddedAttribute) {
    self.attribute = attribute
    super.init(context, opensFirst: false)
  }

  override func perform(_ operation: Int) throws {
    let store = try context.open()
    try Capability.migrating(of: store).value.add(attribute, in: .records)
    self.store = store
  }

  override func check(_ store: any StorageBackend, _ operations: Range<Int>) throws {
    _ = try expectation(after: operations.upperBound).check(store, hashes: false)
  }

  override func bytesChanged(by operations: Int) -> Int {
    operations * context.source.count * attribute.defaultValue.utf8.count
  }

  override func expectation(after operations: Int) -> Expectation {
    var expectation = Expectation(context.fixture)
    if operations > 0 { expectation.add(attribute) }
    return expectation
  }
}
