import StorageContract

/// A check of one promise of `StorageBackend`. A new check needs a file in `Checks` and a line in
/// ``ConformanceChecks``.
protocol ConformanceCheck: SendableMetatype {
  /// The name of the check in results, such as `values`.
  static var id: String { get }
  /// The tested promise in words: `every value comes back as it was put`.
  static var promise: String { get }
  /// The steps of the check. Each step runs in its own process, on the files that the previous step has left.
  static var steps: [@Sendable (CheckSubject) throws -> Void] { get }

  // The members below have default implementations.

  /// Whether the check also runs with option values other than the defaults.
  static var dependsOnOptions: Bool { get }
  /// Whether the check is repeated for every durability that the backend offers.
  static var dependsOnDurability: Bool { get }
  /// The additional environment variables of the processes that run the check.
  static var environment: [String: String] { get }
  /// The file system on which the processes of the check run.
  static var disk: ChildDisk { get }
  /// Returns the reason why the check does not apply to a backend, or nil if the check applies.
  static func exemption(_ subject: CheckedBackend) -> String?
}

extension ConformanceCheck {
  static var dependsOnOptions: Bool { false }
  static var dependsOnDurability: Bool { false }
  static var environment: [String: String] { [:] }
  static var disk: ChildDisk { .any }
  static func exemption(_ subject: CheckedBackend) -> String? { subject.storesNothing }
}
