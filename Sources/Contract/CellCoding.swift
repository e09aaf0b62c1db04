extension Cell: Codable {
  private enum CodingKeys: String, CodingKey {
    case backend, options, workload, records
    case recordBytes = "record_bytes"
    case durability, threads, cache, aged, memory
  }

  /// Writes the fields of a benchmark. The keys are the column names of the result tables, such as `record_bytes`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(backend.id, forKey: .backend)
    try container.encode(backend.options.description, forKey: .options)
    try container.encode(workload.description, forKey: .workload)
    try container.encode(records, forKey: .records)
    try container.encode(recordBytes, forKey: .recordBytes)
    try container.encodeIfPresent(durability, forKey: .durability)
    try container.encode(threads, forKey: .threads)
    try container.encode(cache, forKey: .cache)
    // The default values of `aged` and `memory` are left out, as in files of builds without these fields.
    if aged != 0 { try container.encode(aged, forKey: .aged) }
    try container.encodeIfPresent(memory, forKey: .memory)
  }

  /// Reads a benchmark from the output of ``encode(to:)``. Options are not validated: this build may not have the
  /// backend.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      backend: Spec(
        id: try container.decode(String.self, forKey: .backend),
        options: Options(verbatim: try container.decode(String.self, forKey: .options))),
      workload: Spec(verbatim: try container.decode(String.self, forKey: .workload)),
      records: try container.decode(Int.self, forKey: .records),
      recordBytes: try container.decode(Int.self, forKey: .recordBytes),
      durability: try container.decodeIfPresent(Durability.self, forKey: .durability),
      threads: try container.decode(Int.self, forKey: .threads),
      cache: try container.decode(CacheState.self, forKey: .cache),
      aged: try container.decodeIfPresent(Int.self, forKey: .aged) ?? 0,
      memory: try container.decodeIfPresent(Int.self, forKey: .memory))
  }
}
