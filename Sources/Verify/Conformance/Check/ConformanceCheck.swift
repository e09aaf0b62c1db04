import StorageContract

/// A check of one promise of `StorageBackend`. To add one, write its file and add its line to ``ConformanceChecks``.
protocol ConformanceCheck: SendableMetatype {
  /// The name of the check in results.
  static var id: String { get }
  /// The promise, as a half sentence.
  static var promise: String { get }
  /// The steps of the check. Each runs in its own process, on the files that the previous one has left.
  static var steps: [@Sendable (CheckSubject) throws -> Void] { get }

  // The members below have default implementations.

  /// Whether the check is repeated for every value of every option.
  static var dependsOnOptions: Bool { get }
  /// Whether the check is repeated for every durability that the backend offers.
  static var dependsOnDurability: Bool { get }
  /// Environment variables added for the processes of the check.
  static var environment: [String: String] { get }
  /// The file system that the store needs.
  static var disk: ChildDisk { get }
  /// Returns the reason that the check does not apply to a backend, or nil.
  static func exemption(_ subject: CheckedBackend) -> String?
}

extension ConformanceCheck {
  static var dependsOnOptions: Bool { false }
  static var dependsOnDurability: Bool { false }
  static var environment: [String: String] { [:] }
  static var disk: ChildDisk { .any }
  static func exemption(_ subject: CheckedBackend) -> String? { subject.storesNothing }
}
