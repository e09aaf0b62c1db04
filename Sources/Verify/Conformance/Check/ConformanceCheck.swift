import StorageContract

/// One promise of `StorageBackend` and how it is checked. To add one, write its file and its line in
/// ``ConformanceChecks``.
protocol ConformanceCheck: SendableMetatype {
  /// Its name, for results.
  static var id: String { get }
  /// What is promised, as a half sentence.
  static var promise: String { get }
  /// What is done, each step in a process of its own, on the files that the one before has left.
  static var steps: [@Sendable (CheckSubject) throws -> Void] { get }

  // What follows has a default implementation.

  /// Whether it is checked for every value of every option.
  static var dependsOnOptions: Bool { get }
  /// Whether it is checked for every durability that can be had.
  static var dependsOnDurability: Bool { get }
  /// Variables that its processes are started with.
  static var environment: [String: String] { get }
  /// What file system the store needs.
  static var disk: ChildDisk { get }
  /// Why it does not concern a backend, or nil.
  static func exemption(_ subject: CheckedBackend) -> String?
}

extension ConformanceCheck {
  static var dependsOnOptions: Bool { false }
  static var dependsOnDurability: Bool { false }
  static var environment: [String: String] { [:] }
  static var disk: ChildDisk { .any }
  static func exemption(_ subject: CheckedBackend) -> String? { subject.storesNothing }
}
