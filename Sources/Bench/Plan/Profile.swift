import StorageContract
import StorageRunFiles

/// A named set of cells, with the parameters of the run.
///
/// To add one, write a file in `Profiles` and add its line to ``all``.
struct Profile: Sendable, Equatable {
  /// The name for `--profile`.
  var id: String
  /// The purpose, in one sentence.
  var summary: String
  var blocks: [Block]
  /// The number of timed trials of each cell; 0 to only count.
  var rounds = 6
  /// The target for the timed part of a trial, in nanoseconds.
  var trialTime: Int64 = 100_000_000
  /// The backends for blocks that name none.
  var backends = Backends.usual
  /// The sizes that are too slow for some backends.
  var limits: [Limit] = []

  static let all: [Profile] = [quick, counts, full, scale, ycsb, pairs]

  /// Their names, for a sentence: `quick, counts or full`.
  static var names: String {
    let ids = all.map(\.id)
    return ids.dropLast().joined(separator: ", ") + " or \(ids.last ?? "")"
  }

  /// Options that change how a store is read, by backend id: those with which it saves at `intact` and `durable`. The
  /// sum of a save and its reads must refer to one store with one setting.
  static let variants = ["sqlite": "journal=wal", "sqlite-queue": "journal=wal"]

  /// Returns a backend, and its variant if it has one.
  static func withVariants(_ backend: Spec) -> [Spec] {
    guard let options = variants[backend.id], backend == Spec(id: backend.id) else { return [backend] }
    return [backend, Spec(verbatim: "\(backend.id):\(options)")]
  }

  /// Finds a profile by name.
  ///
  /// - Throws: `UsageError` naming the nearest profile.
  @Sendable static func named(_ id: String) throws -> Profile {
    guard let profile = all.first(where: { $0.id == id }) else {
      throw UsageError(Nearest.sentence("profile", id, among: all.map(\.id)))
    }
    return profile
  }

  enum Backends: Sendable {
    /// The backends of a run that names none.
    case usual
    /// The same backends, and the floors.
    case withFloors
  }

  /// One line of a profile: workloads with sizes and durabilities.
  struct Block: Sendable, Equatable {
    /// Specifications or patterns, as on the command line.
    var workloads: String
    /// Specifications, as on the command line, or nil for the profile's.
    var backends: String?
    /// N; a workload with its own size ignores it.
    var records: [Int]
    var durabilities: [Durability] = [.shipped]
    /// Payload bytes of a record, or nil for the value of the whole plan.
    var recordBytes: Int?
    /// Whether a row is left out if the row at `shipped` has the same settings.
    var onlyWhereSettingsDiffer = false
    /// The ids of the backends that get its rows, among those that take part; nil for all of them.
    var onlyFor: Set<String>?
    /// Whether a backend is also run with the options that change its reads: see ``Profile/variants``.
    var addsVariants = false
  }

  /// A size from which some cells are left out, or counted and not timed. It does not apply to sizes that the user
  /// requests.
  struct Limit: Sendable, Equatable {
    /// The backends that a limit applies to.
    enum Concern: Sendable, Equatable {
      /// Backends that write the whole store in each save.
      case wholeFile
      /// The backend with this id.
      case backend(String)
    }

    /// The backends that the limit applies to.
    var concern: Concern
    /// The largest N that is run, or timed.
    var records: Int
    /// Whether larger cells are still counted.
    var countsBeyond = false
    /// The reason, in a few words, for the cells beyond.
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
