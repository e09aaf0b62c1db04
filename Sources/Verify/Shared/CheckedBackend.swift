import StorageContract

/// A backend under test, with its options and the durability requested from it.
struct CheckedBackend: Codable {
  let type: any StorageBackend.Type
  let options: Options
  let durability: Durability
  let level: Level

  init?(_ type: any StorageBackend.Type, _ options: Options, _ durability: Durability) {
    guard case .level(let level) = type.promise(durability, options) else { return nil }
    self.type = type
    self.options = options
    self.durability = durability
    self.level = level
  }

  /// The encoded form in which a backend under test is sent to a child process. `type` is the compiler's internal
  /// (mangled) name of the type.
  private struct Coded: Codable {
    var type: String
    var options: String
    var durability: Durability
    var level: Level
  }

  init(from decoder: any Decoder) throws {
    let coded = try Coded(from: decoder)
    guard let type = _typeByName(coded.type) as? any StorageBackend.Type else {
      throw UsageError(
        "the child process does not know the backend that its parent asked it to test; "
          + "link the backend into the executable itself")
    }
    (self.type, options) = (type, Options(verbatim: coded.options))
    (durability, level) = (coded.durability, coded.level)
  }

  func encode(to encoder: any Encoder) throws {
    let name = try ChildLaunch.name(of: type)
    try Coded(type: name, options: options.description, durability: durability, level: level).encode(to: encoder)
  }

  var name: String { Spec(id: type.description.id, options: options).description }

  var witness: WriteVisibility { type.description.witness(options) }

  /// The engine's library whose memory allocations can be told from others; nil if there is none.
  var library: String? { type.description.library(options) }

  func environment(_ directory: String, _ collections: [String]) -> StoreEnvironment {
    StoreEnvironment(
      directory: directory, options: options, durability: durability, collections: collections, hasTimers: false)
  }

  func deviates(from promise: Deviation.Promise) -> Bool {
    type.description.deviations(options).contains { $0.promise == promise }
  }

  /// The reason why a check cannot read records from the store: the backend stores nothing. Nil if the backend stores
  /// its records.
  var storesNothing: String? { type.description.isVerifiable ? nil : "it stores nothing" }

  /// The reason why the backend leaves no files to examine, such as records only in memory; nil if the backend leaves
  /// files.
  var leavesNothing: String? {
    storesNothing ?? (type.description.kind(options) == .memory ? "nothing of it leaves the process" : nil)
  }

  /// The reason why the store's files may lack an acknowledged save; nil if the files have each acknowledged save.
  var writesLater: String? {
    leavesNothing ?? (level == .volatile ? "its saves are written after they are acknowledged" : nil)
  }
}
