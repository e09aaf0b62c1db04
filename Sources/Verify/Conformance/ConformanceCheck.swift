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
  /// What file system the store needs.
  static var disk: CheckDisk { get }
  /// Why it does not concern a backend, or nil.
  static func exemption(_ subject: CheckedBackend) -> String?
}

/// The file system that a check works on.
enum CheckDisk {
  /// The directory's.
  case any
  /// One in memory of so many bytes, seen by this process alone, if the machine allows it; syncs cost nothing there.
  case inMemoryIfPossible(UInt64)
  /// The same, without which the check cannot be made.
  case own(UInt64)
}

extension ConformanceCheck {
  static var dependsOnOptions: Bool { false }
  static var dependsOnDurability: Bool { false }
  static var disk: CheckDisk { .any }
  static func exemption(_ subject: CheckedBackend) -> String? { subject.storesNothing }
}

/// A backend with options that was asked for a durability it can have.
struct CheckedBackend {
  let type: any StorageBackend.Type
  let options: Options
  let durability: Durability
  let level: Level

  /// Nil if the durability cannot be had.
  init?(_ type: any StorageBackend.Type, _ options: Options, _ durability: Durability) {
    guard case .level(let level) = type.promise(durability, options) else { return nil }
    self.type = type
    self.options = options
    self.durability = durability
    self.level = level
  }

  /// As on the command line.
  var name: String { Spec(id: type.description.id, options: options).description }

  /// Whether the description says that a promise is not kept.
  func deviates(from promise: Deviation.Promise) -> Bool {
    type.description.deviations(options).contains { $0.promise == promise }
  }

  /// The reason not to look at content, or nil.
  var storesNothing: String? { type.description.isVerifiable ? nil : "it stores nothing" }

  /// The reason not to look at files, or nil.
  var leavesNothing: String? { storesNothing ?? (level == .volatile ? "nothing of it leaves the process" : nil) }
}

/// Every check there is.
enum ConformanceChecks {
  /// In the order in which results list them.
  static let all: [any ConformanceCheck.Type] = [
    DescriptionCheck.self,
    ValuesCheck.self,
    LargeValuesCheck.self,
    ChangesCheck.self,
    OrderCheck.self,
    BodiesCheck.self,
    AllOrNothingCheck.self,
    MissingFileCheck.self,
    DamagedFileCheck.self,
    AcknowledgedCheck.self,
    LevelCheck.self,
    FullDiskCheck.self,
    ReadOnlyCheck.self,
    ConfinementCheck.self,
    LeakCheck.self,
    QueryCheck.self,
    TransactionCheck.self,
    RelationCheck.self,
    MigrationCheck.self,
    CompactionCheck.self,
    SharingCheck.self,
  ]
}
