import StorageContract

/// A backend, its options and a requested durability that it offers.
struct CheckedBackend {
  let type: any StorageBackend.Type
  let options: Options
  let durability: Durability
  let level: Level

  /// Returns nil if the backend does not offer the durability.
  init?(_ type: any StorageBackend.Type, _ options: Options, _ durability: Durability) {
    guard case .level(let level) = type.promise(durability, options) else { return nil }
    self.type = type
    self.options = options
    self.durability = durability
    self.level = level
  }

  /// The name of the backend as on the command line.
  var name: String { Spec(id: type.description.id, options: options).description }

  /// The means by which the suite observes the backend's writes.
  var witness: WriteVisibility { type.description.witness(options) }

  /// Returns whether the description lists a deviation from a promise.
  func deviates(from promise: Deviation.Promise) -> Bool {
    type.description.deviations(options).contains { $0.promise == promise }
  }

  /// The reason not to check the content, or nil.
  var storesNothing: String? { type.description.isVerifiable ? nil : "it stores nothing" }

  /// The reason not to check the files, or nil.
  var leavesNothing: String? { storesNothing ?? (level == .volatile ? "nothing of it leaves the process" : nil) }
}
