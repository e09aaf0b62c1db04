import StorageContract

/// The properties of an app that determine the choice of a store.
public struct AppDescription: Sendable, Equatable {
  /// The number of records that the user's app keeps in its store.
  public var records: Int
  /// The number of records that the user's app reads for each record that it saves.
  public var readsPerSave: Double
  /// The payload size of a record of the user's app, in bytes. If nil, the record size of the benchmark run is assumed.
  public var recordBytes: Int?
  /// The minimum durability that the user's app accepts. `shipped` allows only engines with default settings. Nil
  /// allows any.
  public var durability: Durability?
  /// The longest acceptable time from the start of the user's app to its first screen, in nanoseconds. Nil for the
  /// default, ``Speed/launch``.
  public var launchBudget: Double?

  /// Creates the description of an app for which a storage engine is to be recommended.
  public init(
    records: Int, readsPerSave: Double, recordBytes: Int? = nil, durability: Durability? = nil,
    launchBudget: Double? = nil
  ) {
    self.records = records
    self.readsPerSave = readsPerSave
    self.recordBytes = recordBytes
    self.durability = durability
    self.launchBudget = launchBudget
  }

  /// The description as text: `2,000 records of 100 bytes, 20 reads for each save, at least durable`.
  public var inWords: String {
    let reads = NumberFormat.perOperation(readsPerSave)
    return [
      "\(Quantity.grouped(records)) records" + (recordBytes.map { " of \(Quantity.grouped($0)) bytes" } ?? ""),
      "\(reads) \(reads == "1" ? "read" : "reads") for each save",
      durability.map { $0 == .shipped ? "every library as it ships" : "at least \($0.rawValue)" },
      launchBudget.map { "on the screen within \(NumberFormat.time($0))" },
    ].compactMap { $0 }.joined(separator: ", ")
  }
}
