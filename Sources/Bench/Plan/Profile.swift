import StorageContract
import StorageRunFiles

/// A named set of cells to run, with the parameters of the run.
///
/// To add a profile, write a file in `Profiles` and add its line to ``all``.
struct Profile: Sendable, Equatable {
  var id: String
  var summary: String
  var blocks: [Block]
  /// The number of timed trials of each cell; 0 to only count.
  var rounds = 6
  var trialTime: Int64 = 100_000_000
  /// The backends for groups of cells that name no backends.
  var backends = Backends.usual
  /// The limits beyond which some backends are too slow to run or to time.
  var limits: [Limit] = []

  static let all: [Profile] = [quick, counts, full, scale, ycsb, pairs]

  /// The names of all profiles, for a sentence: `quick, counts or full`.
  static var names: String {
    let ids = all.map(\.id)
    return ids.dropLast().joined(separator: ", ") + " or \(ids.last ?? "")"
  }

  /// Options that change how a store is read, by backend id. They are the options with which the backend saves at
  /// `intact` and `durable`. The sum of a save and its reads must refer to one store with one setting.
  static let variants = ["sqlite": "journal=wal", "sqlite-queue": "journal=wal"]

  /// Returns a backend, and the variant that also changes its reads, if the backend has such a variant.
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
    /// The profile runs the backends of a run that names no backends.
    case usual
    /// The profile also runs the floors, which are stores without a disk.
    case withFloors
  }

  /// One group of a profile's cells: workloads with numbers of records and durabilities.
  struct Block: Sendable, Equatable {
    /// The workloads of the cells, as specifications or patterns like on the command line.
    var workloads: String
    /// The backends of the cells, as specifications like on the command line; nil for the backends of the profile.
    var backends: String?
    /// The numbers of records of the cells. A workload with its own number ignores them.
    var records: [Int]
    var durabilities: [Durability] = [.shipped]
    /// The payload bytes of a record, or nil for the value of the whole plan.
    var recordBytes: Int?
    /// Whether a cell is left out if the cell at `shipped` has the same settings.
    var onlyWhereSettingsDiffer = false
    /// The ids of the backends that run these cells, among those of the run; nil for all backends of the run.
    var onlyFor: Set<String>?
    /// Whether a backend is also run with the options that change its reads: see ``Profile/variants``.
    var addsVariants = false
  }

  /// A number of records from which some cells are left out, or counted and not timed. The limit does not apply to
  /// numbers that the user requests.
  struct Limit: Sendable, Equatable {
    enum Concern: Sendable, Equatable {
      /// The limit applies to backends that write the whole store in each save.
      case wholeFile
      /// The limit applies to the backend with the given id.
      case backend(String)
    }

    var concern: Concern
    /// The largest number of records with which a cell is run, or timed.
    var records: Int
    /// Whether cells beyond the limit are still counted.
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
