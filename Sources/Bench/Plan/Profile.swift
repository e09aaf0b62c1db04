import StorageContract
import StorageRunFiles

/// A named choice of backends and workloads to run, with the parameters of the run.
///
/// To add a profile, write a file in `Profiles` and add its line to ``all``.
struct Profile: Sendable, Equatable {
  var id: String
  var summary: String
  var blocks: [Block]
  /// The number of times that each benchmark is timed; 0 to count system calls only.
  var rounds = 6
  var trialTime: Int64 = 100_000_000
  var backends = Backends.usual
  var limits: [Limit] = []

  static let all: [Profile] = [quick, counts, full, scale, ycsb, pairs, tuning]

  static var names: String {
    let ids = all.map(\.id)
    return ids.dropLast().joined(separator: ", ") + " or \(ids.last ?? "")"
  }

  /// Options with which a backend's reads are measured a second time, by backend id. The backend uses these options for
  /// saves at the durabilities `intact` and `durable`. Times of reads and saves can be added only if both have the same
  /// options.
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

  enum Backends: Sendable {
    case usual
    /// The default backends and the floors, which keep no data on a disk and so show the shortest possible times.
    case withFloors
  }

  /// A part of a profile: its workloads, each run with each number of records and each durability.
  struct Block: Sendable, Equatable {
    /// The workloads, as on the command line: `save-one`, `read-*` or `mix:ycsb=a`.
    var workloads: String
    /// The backends, as on the command line, such as `sqlite:journal=wal`; nil for the backends of the profile.
    var backends: String?
    var records: [Int]
    var durabilities: [Durability] = [.shipped]
    /// The payload bytes of a record; nil for the default of 100.
    var recordBytes: Int?
    /// Whether a durability is left out for a backend whose default settings already meet it.
    var onlyWhereSettingsDiffer = false
    /// The ids of the only backends that run this part of the profile; nil for all backends.
    var onlyFor: Set<String>?
    var addsVariants = false
  }

  /// A number of records beyond which a profile leaves slow backends out, or only counts their system calls. The limit
  /// does not apply to numbers that the user requests.
  struct Limit: Sendable, Equatable {
    enum Concern: Sendable, Equatable {
      /// The backends that write the whole store in each save.
      case wholeFile
      case backend(String)
    }

    var concern: Concern
    var records: Int
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
