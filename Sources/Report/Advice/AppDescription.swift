import StorageContract

/// An app as far as the choice of a store depends on it.
public struct AppDescription: Sendable, Equatable {
  /// How many records it keeps.
  public var records: Int
  /// How many records it reads for each one that it saves.
  public var readsPerSave: Double
  /// Payload bytes of a record; nil for those of the run.
  public var recordBytes: Int?
  /// What must survive at least; `Durability.shipped` takes every library as it comes; nil for all settings measured.
  public var durability: Durability?
  /// Nanoseconds within which the first screen must be there after a start; nil for ``Speed/launch``.
  public var launchBudget: Double?

  /// Describes an app.
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

  /// `2,000 records of 100 bytes, 20 reads for each save, at least durable, on the screen within 100 ms`.
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
