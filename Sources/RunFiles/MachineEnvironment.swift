/// The machine and software of a run: the content of `environment.json`. Each dictionary maps the names of properties
/// to their values; unknown properties are absent.
public struct MachineEnvironment: Sendable, Codable, Equatable {
  /// The version of the format of `environment.json`, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// A short hash of the properties that make times comparable: processor, cores, memory, kernel, file system with or
  /// without a journal, loop image or not, the disk's write cache. Only times with equal hashes are ranked together.
  public var machine: String
  /// Properties of the system: `cpu`, `cores`, `memory`, `kernel`, `os`, `governor`, `load`, `steal`, `virtual machine`
  /// (`no`, or its kind), `host`, ...
  public var system: [String: String]
  /// Properties of the storage: `filesystem`, `journal` (of ext3 and ext4: `yes` or `none`), `features` (of ext4;
  /// read by root only), `options in effect` (of ext4, with the defaults), `loop image` (`yes`), `device`, `mount
  /// options`, `write cache`, `scheduler`, `scratch`.
  public var storage: [String: String]
  /// Properties of the build: `version` (of the suite), `git revision`, `swift` (the compiler), `mode`, `architecture`.
  public var build: [String: String]
  /// The version of each storage engine by the engine's id, with compile options if the engine reports them.
  public var engines: [String: String]
  /// The median time of several 4 KiB writes with fsync in the scratch directory, in nanoseconds.
  public var syncCost: Double?
  /// The time of one clock reading, in nanoseconds.
  public var clockCost: Double?
  /// The duration of the run in seconds, from the start of the command until the reports were written. If the run was
  /// interrupted and resumed, both parts count. Nil in merged runs, before the end of the run, and if the run was
  /// resumed after a kill.
  public var wall: Double?
  /// Warnings about conditions that make the measured times doubtful: a tmpfs, a debug build, load, stolen time.
  public var warnings: [String]

  private enum CodingKeys: String, CodingKey {
    case schema, machine, system, storage, build, engines
    case syncCost = "sync_ns"
    case clockCost = "clock_ns"
    case wall = "wall_s"
    case warnings
  }

  /// The name of the machine, `uname -n`; nil in runs of older versions.
  public var host: String? { system["host"] }

  /// A description of the file system of the stores: `ext4 without a journal`, `xfs in a loop image`. Nil if the file
  /// system is unknown.
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
