import StorageContract

/// A named choice of backends, workloads and numbers of records to run, such as `quick`. New profiles are added to
/// ``all``.
struct Profile: Sendable, Equatable {
  var id: String
  var summary: String
  var blocks: [Block]
  /// The number of times that each benchmark is timed; 0 to count system calls only.
  var rounds = 6
  var trialTime: Int64 = 100_000_000
  /// Whether to include floors: default backends that acknowledge a save before writing its data to a file. The times
  /// of floors are a lower bound for other backends.
  var includesFloors = false
  var limits: Limits?

  static let all: [Profile] = [quick, counts, full, scale, ycsb, pairs, tuning]

  static var names: String {
    let ids = all.map(\.id)
    return ids.dropLast().joined(separator: ", ") + " or \(ids.last ?? "")"
  }

  /// The options that are measured in addition to a backend's default options, by backend id.
  static let variants = ["sqlite": "journal=wal", "sqlite-queue": "journal=wal"]

  static func withVariants(_ backend: Spec) -> [Spec] {
    guard let options = variants[backend.id], backend == Spec(id: backend.id) else { return [backend] }
    return [backend, Spec(verbatim: "\(backend.id):\(options)")]
  }

  @Sendable static func named(_ id: String) throws -> Profile {
    guard let profile = all.first(where: { $0.id == id }) else {
      throw UsageError(Nearest.sentence("profile", id, among: all.map(\.id)))
    }
    return profile
  }

  /// A part of a profile: workloads that are run with each number of records and each durability.
  struct Block: Sendable, Equatable {
    /// The workloads, as on the command line: `save-one`, `read-*` or `mix:ycsb=a`.
    var workloads: String
    /// The backends, as on the command line, such as `sqlite:journal=wal`; nil for all backends of the profile.
    var backends: String?
    var records: [Int]
    var durabilities: [Durability] = [.shipped]
    /// The payload bytes of a record; nil for the default of 100.
    var recordBytes: Int?
    /// Whether to run only the backends whose settings for durable saves differ from their default settings.
    var onlyWhereSettingsDiffer = false
    /// The ids of the only backends that run these workloads; nil for no restriction.
    var onlyFor: Set<String>?
    var addsVariants = false
  }

  /// The largest numbers of records for slow backends. Numbers that the user requests are not limited.
  struct Limits: Sendable, Equatable {
    /// The limit for backends that write the whole store in each save.
    var wholeFile: Int
    /// The limit for timing the backend `archive`. With more records, only its system calls are counted.
    var timedArchive: Int
  }
}
