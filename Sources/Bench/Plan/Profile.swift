import StorageContract
import StorageRunFiles

/// A named choice of backends and workloads to run, with the parameters of the run.
///
/// To add a profile, write a file in `Profiles` and add its line to ``all``.
struct Profile: Sendable, Equatable {
  var id: String
  var summary: String
  var blocks: [Block]
  /// The number of timed trials (processes) for each backend and workload; 0 to only count.
  var rounds = 6
  var trialTime: Int64 = 100_000_000
  /// The backends for the ``blocks`` that name no backends.
  var backends = Backends.usual
  /// The numbers of records beyond which some backends are too slow to run or to time.
  var limits: [Limit] = []

  static let all: [Profile] = [quick, counts, full, scale, ycsb, pairs]

  /// The names of all profiles, for a sentence: `quick, counts or full`.
  static var names: String {
    let ids = all.map(\.id)
    return ids.dropLast().joined(separator: ", ") + " or \(ids.last ?? "")"
  }

  /// Additional options with which a backend's reads are measured, by backend id. The backend uses these options for
  /// saves at `intact` and `durable`. Times of reads and saves can be added only if both have the same options.
  static let variants = ["sqlite": "journal=wal", "sqlite-queue": "journal=wal"]

  /// Returns a backend, and the same backend with the options that ``variants`` has for it, if any.
  static func withVariants(_ backend: Spec) -> [Spec] {
    guard let options = variants[backend.id], backend == Spec(id: backend.id) else { return [backend] }
    return [backend, Spec(verbatim: "\(backend.id):\(options)")]
  }

  /// Finds a profile by its name.
  ///
  /// - Throws: `UsageError` that names the nearest profile.
  @Sendable static func named(_ id: String) throws -> Profile {
    guard let profile = all.first(where: { $0.id == id }) else {
      throw UsageError(Nearest.sentence("profile", id, among: all.map(\.id)))
    }
    return profile
  }

  enum Backends: Sendable {
    /// The profile runs the default backends.
    case usual
    /// The profile also runs the floors: backends that keep no data on a disk, for the shortest possible times.
    case withFloors
  }

  /// A part of a profile. Each workload of the part is run with each number of records and each durability.
  struct Block: Sendable, Equatable {
    /// The workloads, as on the command line: `save-one`, `read-*` or `mix:ycsb=a`.
    var workloads: String
    /// The backends, as on the command line, such as `sqlite:journal=wal`; nil for the backends of the profile.
    var backends: String?
    /// The numbers of records. A workload with a fixed number of records ignores them.
    var records: [Int]
    var durabilities: [Durability] = [.shipped]
    /// The payload bytes of a record, or nil for the value of the whole plan.
    var recordBytes: Int?
    /// Whether a durability is left out if the backend's settings are the same at `shipped`.
    var onlyWhereSettingsDiffer = false
    /// The ids of the only backends that run this part of the profile; nil for all backends of the run.
    var onlyFor: Set<String>?
    /// Whether a backend is also run with the options that change its reads: see ``Profile/variants``.
    var addsVariants = false
  }

  /// A number of records beyond which a profile leaves some backends out, or counts their calls without timing. The
  /// limit does not apply to numbers that the user requests.
  struct Limit: Sendable, Equatable {
    enum Concern: Sendable, Equatable {
      /// The limit applies to backends that write the whole store in each save.
      case wholeFile
      /// The limit applies to the backend with the given id.
      case backend(String)
    }

    var concern: Concern
    /// The largest number of records with which the backends are run, or timed.
    var records: Int
    /// Whether the calls of the backends are still counted beyond the limit.
    var countsBeyond = false
    var reason: String

    func concerns(_ planned: PlannedCell) -> Bool {
      guard planned.cell.records > records else { return false }
      switch concern {
      case .wholeFile: return planned.isWholeFile
      case .backend(let id): return planned.cell.backend.id == id
      }
    }
  }
}
