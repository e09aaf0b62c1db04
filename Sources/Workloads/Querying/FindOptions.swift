import StorageContract

/// The options of workloads that find records by a condition, such as a range of scores.
enum FindOptions {
  static let index = OptionSpec(
    "index", ["no", "yes"], help: "let the engine scan all records, or create an index of the field first")

  static let select = OptionSpec(
    "select", ["0.1%", "1%", "10%"], help: "approximate share of the records that is found")

  /// Returns the number of records that a query should find, such as 1 % of `records`, but at least one.
  static func target(_ options: Options, of records: Int) -> Int {
    max(1, min(records, Int((Double(records) * options.share(select)).rounded())))
  }

  @Sendable
  static func obstacle(_ options: Options, _ store: PlannedStore) -> String? {
    guard options[index] == "yes", !Capability.querying.isNative(in: store.backend) else { return nil }
    return "it has no indexes but that of its keys, so every record is read; that is the row with index=no"
  }
}
