import StorageContract
import StorageRunFiles

/// A named set of cells, with how they are run.
///
/// To add one, write a file in `Profiles` and add its line to ``all``.
struct Profile: Sendable, Equatable {
  /// What stands after `--profile`.
  var id: String
  /// What it is for, in one sentence.
  var summary: String
  /// Which cells.
  var blocks: [Block]
  /// Timed trials of each cell; 0 counts only.
  var rounds = 6
  /// Nanoseconds that a trial's timed part aims at.
  var trialTime: Int64 = 100_000_000
  /// Which backends take part where a block names none.
  var backends = Backends.usual
  /// What is too slow to be worth its time.
  var limits: [Limit] = []

  /// The profiles there are.
  static let all: [Profile] = [quick, counts, full, scale, ycsb, pairs]

  /// Their names, as a sentence has them: `quick, counts or full`.
  static var names: String {
    let ids = all.map(\.id)
    return ids.dropLast().joined(separator: ", ") + " or \(ids.last ?? "")"
  }

  /// Options that change how a store is read, by the id of the backend: those in which it saves at `intact` and `durable`.
  /// A sum of a save and its reads is of one store with one setting.
  static let variants = ["sqlite": "journal=wal", "sqlite-queue": "journal=wal"]

  /// A backend, and its variant where it has one.
  static func withVariants(_ backend: Spec) -> [Spec] {
    guard let options = variants[backend.id], backend == Spec(id: backend.id) else { return [backend] }
    return [backend, Spec(verbatim: "\(backend.id):\(options)")]
  }

  /// Finds a profile by its name.
  ///
  /// - Throws: `UsageError` naming the nearest there is.
  @Sendable static func named(_ id: String) throws -> Profile {
    guard let profile = all.first(where: { $0.id == id }) else {
      throw UsageError(Nearest.sentence("profile", id, among: all.map(\.id)))
    }
    return profile
  }

  /// The backends of a profile.
  enum Backends: Sendable {
    /// Those of a run that names none.
    case usual
    /// The same, and the floors.
    case withFloors
  }

  /// One line of a profile: workloads at sizes and durabilities.
  struct Block: Sendable, Equatable {
    /// Specifications or patterns, as on the command line.
    var workloads: String
    /// Specifications, as on the command line, or nil for the profile's.
    var backends: String?
    /// N; a workload with a size of its own has that.
    var records: [Int]
    var durabilities: [Durability] = [.shipped]
    /// Payload bytes of a record, or nil for those of the whole plan.
    var recordBytes: Int?
    /// Whether a row is left out where the same settings already have a row at `shipped`.
    var onlyWhereSettingsDiffer = false
    /// The ids of the backends that have its rows, of those that take part; nil for all of them.
    var onlyFor: Set<String>?
    /// Whether a backend is also run with the options that change its reads, see ``Profile/variants``.
    var addsVariants = false
  }

  /// A size from which some cells are left out, or counted and not timed. Whoever asks for sizes of their own gets
  /// them.
  struct Limit: Sendable, Equatable {
    /// Which backends it concerns.
    enum Concern: Sendable, Equatable {
      /// Those that write the whole store in each save.
      case wholeFile
      /// Those with this id.
      case backend(String)
    }

    /// See ``Concern``.
    var concern: Concern
    /// The largest N that is run, or timed.
    var records: Int
    /// Whether larger ones are counted all the same.
    var countsBeyond = false
    /// What is said of the cells beyond, in a few words.
    var reason: String

    /// Whether a cell lies beyond.
    func concerns(_ planned: PlannedCell) -> Bool {
      guard planned.cell.records > records else { return false }
      switch concern {
      case .wholeFile: return planned.isWholeFile
      case .backend(let id): return planned.cell.backend.id == id
      }
    }
  }
}
