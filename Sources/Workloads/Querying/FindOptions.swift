import StorageContract

/// The common options of workloads that find by predicate.
enum FindOptions {
  /// Whether the engine may use an index.
  static let index = OptionSpec(
    "index", ["no", "yes"], help: "let the engine look at all records, or make an index of the field first")

  /// About which share of the records is found.
  static let select = OptionSpec("select", ["0.1%", "1%", "10%"], help: "about which share of the records is found")

  /// Returns the number of records of a share: at least one.
  static func target(_ options: Options, of records: Int) -> Int {
    let share = Double(options[select].dropLast()).map { $0 / 100 } ?? 0
    return max(1, min(records, Int((Double(records) * share).rounded())))
  }

  /// Returns the field, where an index of it is asked for.
  static func indexed(_ field: RecordField, _ options: Options) -> RecordField? {
    options[index] == "yes" ? field : nil
  }

  /// Why there is no row with an index for a backend that is asked through the emulation: its keys are all it finds by.
  @Sendable
  static func obstacle(_ options: Options, _ backend: any StorageBackend.Type) -> String? {
    guard options[index] == "yes", !Capability.querying.isNative(in: backend) else { return nil }
    return "it has no indexes but that of its keys, so every record is read; that is the row with index=no"
  }
}
