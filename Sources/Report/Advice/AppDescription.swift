import StorageContract

/// The properties of an app that determine the choice of a store.
public struct AppDescription: Sendable, Equatable {
  /// The number of records that the app keeps.
  public var records: Int
  /// The number of records read for each record saved.
  public var readsPerSave: Double
  /// The payload of one of the app's records, in bytes. Nil if the records are assumed to be as large as those of the
  /// run.
  public var recordBytes: Int?
  /// The weakest durability that the app accepts. `Durability.shipped` allows engines only with their default settings;
  /// nil allows all settings that were measured.
  public var durability: Durability?
  /// The longest acceptable time from an app's start to its first screen, in nanoseconds. If nil, the limit is
  /// ``Speed/launch``.
  public var launchBudget: Double?

  /// Describes an app for which a store is to be recommended.
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

  /// The description of the app as text. An example is
  /// `2,000 records of 100 bytes, 20 reads for each save, at least durable`.
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
