import StorageContract

/// The properties of an app that determine the choice of a store.
public struct AppDescription: Sendable, Equatable {
  /// The number of records that the app keeps.
  public var records: Int
  /// The number of records that the app reads for each record that it saves.
  public var readsPerSave: Double
  /// The payload size of the app's records, in bytes. Nil to assume the record size of the benchmark run.
  public var recordBytes: Int?
  /// The minimum durability (protection of saves from crashes) that the app accepts. `Durability.shipped` limits the
  /// choice to engines with default settings. Nil if any durability is acceptable.
  public var durability: Durability?
  /// The longest acceptable time from an app's start to its first screen, in nanoseconds. Nil for the default,
  /// ``Speed/launch``.
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

  /// The description of the user's app as text: `2,000 records of 100 bytes, 20 reads for each save, at least durable`.
  /// The last part, `at least durable`, requires saves that survive a power cut.
  public var inWords: String {
    var parts = [
      "\(Quantity.grouped(records)) records" + (recordBytes.map { " of \(Quantity.grouped($0)) bytes" } ?? "")
    ]
    let reads = NumberFormat.perOperation(readsPerSave)
    parts.append("\(reads) \(reads == "1" ? "read" : "reads") for each save")
    switch durability {
    case nil: break
    case .shipped: parts.append("every library as it ships")
    case .crash, .intact, .durable: parts.append("at least \(durability?.rawValue ?? "")")
    }
    if let launchBudget { parts.append("on the screen within \(NumberFormat.time(launchBudget))") }
    return parts.joined(separator: ", ")
  }
}
