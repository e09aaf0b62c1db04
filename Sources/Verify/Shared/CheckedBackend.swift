import StorageContract

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

  /// Who sees what it writes.
  var witness: WriteVisibility { type.description.witness(options) }

  /// Whether the description says that a promise is not kept.
  func deviates(from promise: Deviation.Promise) -> Bool {
    type.description.deviations(options).contains { $0.promise == promise }
  }

  /// The reason not to look at content, or nil.
  var storesNothing: String? { type.description.isVerifiable ? nil : "it stores nothing" }

  /// The reason not to look at files, or nil.
  var leavesNothing: String? { storesNothing ?? (level == .volatile ? "nothing of it leaves the process" : nil) }
}
