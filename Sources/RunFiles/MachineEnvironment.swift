/// The machine and software of a benchmark run: the content of `environment.json`.
public struct MachineEnvironment: Sendable, Codable, Equatable {
  /// The version of the format of `environment.json`, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// A hash of the hardware, kernel and file system. Only times from machines with equal hashes are ranked against each
  /// other.
  public var machine: String
  /// The properties of the system by name, such as `cpu`, `cores`, `memory` and `kernel`. Unknown properties are
  /// absent.
  public var system: [String: String]
  /// The properties of the storage by name, such as `filesystem`, `device` and `write cache`. Unknown properties are
  /// absent.
  public var storage: [String: String]
  /// The properties of the build by name, such as `version`, `git revision`, `swift` (the compiler) and `mode`.
  public var build: [String: String]
  /// The version of each storage engine by its id, such as `sqlite`, with compile options if the engine reports them.
  public var engines: [String: String]
  /// The median time of several 4 KiB writes with fsync in the scratch directory, in nanoseconds.
  public var syncCost: Double?
  /// The time of one clock reading, in nanoseconds.
  public var clockCost: Double?
  /// The total duration of the run in seconds, without interruptions. Nil if unknown, for example before the end or
  /// after a kill.
  public var wall: Double?
  /// Warnings about conditions that make times doubtful, such as a debug build, a file system in memory or other load.
  public var warnings: [String]

  private enum CodingKeys: String, CodingKey {
    case schema, machine, system, storage, build, engines
    case syncCost = "sync_ns"
    case clockCost = "clock_ns"
    case wall = "wall_s"
    case warnings
  }

  /// The name of the machine from `uname -n`; nil in runs of older versions.
  public var host: String? { system["host"] }

  /// The file system of the stores as text: `ext4 without a journal`, `xfs in a loop image`. Nil if it is unknown.
  public var fileSystem: String? { storage["filesystem"].map { Self.fileSystem($0, storage) } }

  package static func fileSystem(_ type: String, _ storage: [String: String]) -> String {
    let journal = storage["journal"].map { $0 == "none" ? " without a journal" : " with a journal" } ?? ""
    return type + journal + (storage["loop image"] == "yes" ? " in a loop image" : "")
  }

  /// Creates a description of a run's machine and software.
  public init(
    machine: String, system: [String: String] = [:], storage: [String: String] = [:],
    build: [String: String] = [:], engines: [String: String] = [:], syncCost: Double? = nil,
    clockCost: Double? = nil, warnings: [String] = []
  ) {
    self.machine = machine
    self.system = system
    self.storage = storage
    self.build = build
    self.engines = engines
    self.syncCost = syncCost
    self.clockCost = clockCost
    self.warnings = warnings
  }
}
