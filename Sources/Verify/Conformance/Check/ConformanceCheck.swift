import StorageContract

/// A check of one promise that `StorageBackend` makes. A new check needs a file in `Checks` and a line in
/// ``ConformanceChecks``.
protocol ConformanceCheck: SendableMetatype {
  static var id: String { get }
  /// The tested promise as a clause: `every value comes back as it was put`.
  static var promise: String { get }
  /// The steps of the check. Each step runs in its own process, on the files that the previous step has left.
  static var steps: [@Sendable (CheckSubject) throws -> Void] { get }

  /// Whether the check also runs with option values other than the defaults.
  static var dependsOnOptions: Bool { get }
  /// Whether the check is repeated for every durability that the backend offers.
  static var dependsOnDurability: Bool { get }
  static var environment: [String: String] { get }
  static var disk: ChildDisk { get }
  static func exemption(_ subject: CheckedBackend) -> String?
}

extension ConformanceCheck {
  static var dependsOnOptions: Bool { false }
  static var dependsOnDurability: Bool { false }
  static var environment: [String: String] { [:] }
  static var disk: ChildDisk { .any }
  static func exemption(_ subject: CheckedBackend) -> String? { subject.storesNothing }
}
