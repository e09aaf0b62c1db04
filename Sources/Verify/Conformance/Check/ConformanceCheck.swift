import StorageContract

/// A check of one promise of `StorageBackend`. ``ConformanceChecks`` lists all checks.
protocol ConformanceCheck: SendableMetatype {
  typealias Steps = [@Sendable (CheckSubject) throws -> Void]

  static var id: String { get }
  /// The promise that the check tests, as a clause such as `a missing file is an empty store`.
  static var promise: String { get }
  /// The steps of the check. Each step runs in a new process, on the store that the previous step left.
  static var steps: Steps { get }

  /// Whether the check also runs with backend options other than the defaults.
  static var dependsOnOptions: Bool { get }
  /// Whether the check is repeated for every durability setting that the backend offers.
  static var dependsOnDurability: Bool { get }
  static var environment: [String: String] { get }
  static var disk: ChildDisk { get }
  static func exemption(_ subject: CheckedBackend) -> String?
}

extension ConformanceCheck {
  static var dependsOnOptions: Bool { true }
  static var dependsOnDurability: Bool { false }
  static var environment: [String: String] { [:] }
  static var disk: ChildDisk { .any }
  static func exemption(_ subject: CheckedBackend) -> String? { subject.storesNothing }
}
