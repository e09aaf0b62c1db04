/// Where and with what a run was made: `environment.json`.
///
/// Sections of name and value, in the order in which they are shown; what could not be found out is absent.
public struct MachineEnvironment: Sendable, Codable, Equatable {
  /// See ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// A short hash of what makes times comparable: processor, cores, memory, kernel, file system with or without a
  /// journal, loop image or not, the disk's write cache. Times of two runs are ranked against each other only where it is the same.
  public var machine: String
  /// `cpu`, `cores`, `memory`, `kernel`, `os`, `governor`, `load`, `steal`, `virtual machine` (`no`, or whose), `host`, ...
  public var system: [String: String]
  /// `filesystem`, `journal` (of ext3 and ext4: `yes` or `none`), `loop image` (`yes`), `device`, `mount options`,
  /// `write cache`, `scheduler`, `scratch`.
  public var storage: [String: String]
  /// `version` (of the suite), `git revision`, `swift` (the compiler's exact version), `mode` (release or debug), `architecture`.
  public var build: [String: String]
  /// Engine id to version, and to compile options where the engine tells them.
  public var engines: [String: String]
  /// Nanoseconds of one 4 KiB write and fsync in the scratch directory, the median of several.
  public var syncCost: Double?
  /// Nanoseconds of one reading of the clock.
  public var clockCost: Double?
  /// Seconds that the run took, from its start until its reports were written, those before an interruption included;
  /// nil while it is running, where a part of it was killed, and in merged runs.
  public var wall: Double?
  /// Sentences about what makes the figures doubtful: a tmpfs, a debug build, load, steal.
  public var warnings: [String]

  private enum CodingKeys: String, CodingKey {
    case schema, machine, system, storage, build, engines
    case syncCost = "sync_ns"
    case clockCost = "clock_ns"
    case wall = "wall_s"
    case warnings
  }

  /// The machine's own name, `uname -n`; nil in runs of older versions.
  public var host: String? { system["host"] }

  /// The file system of the stores in words: `ext4 without a journal`, `xfs in a loop image`.
  public var fileSystem: String? { storage["filesystem"].map { Self.fileSystem($0, storage) } }

  /// A file system in words.
  ///
  /// - Parameters:
  ///   - type: Its type, `ext4`.
  ///   - storage: What is known of it, see ``storage``.
  package static func fileSystem(_ type: String, _ storage: [String: String]) -> String {
    let journal = storage["journal"].map { $0 == "none" ? " without a journal" : " with a journal" } ?? ""
    return type + journal + (storage["loop image"] == "yes" ? " in a loop image" : "")
  }

  /// Creates an environment.
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
