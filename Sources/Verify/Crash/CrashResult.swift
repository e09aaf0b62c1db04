import StorageContract

/// The result of a crash test for one kind of fault, such as a power cut, on one backend at one durability.
public struct CrashResult: Sendable, Codable {
  /// The numbers of cases of a crash test by verdict, which is the outcome for the store, such as
  /// ``CrashVerdict/kept``.
  public struct Tally: Sendable, Codable, Equatable {
    /// The number of cases for each verdict. Verdicts without cases are left out.
    public private(set) var verdicts: [CrashVerdict: Int] = [:]
    /// The number of cases in which the backend broke a promise, such as that of its safety level.
    public private(set) var broken = 0
    /// The number of cases in which the fault had no effect, because the store did not make the call that the fault was
    /// to hit.
    public private(set) var unreached = 0

    /// The number of all cases, the sum over all verdicts.
    public var cases: Int { verdicts.values.reduce(0, +) }

    /// Creates an empty tally.
    public init() {}

    /// Returns the number of cases with a verdict; 0 if there is none.
    public subscript(verdict: CrashVerdict) -> Int { verdicts[verdict] ?? 0 }

    mutating func add(_ other: Tally) {
      verdicts.merge(other.verdicts, uniquingKeysWith: +)
      broken += other.broken
      unreached += other.unreached
    }

    mutating func add(_ finding: CrashFinding) {
      verdicts[finding.verdict, default: 0] += 1
      if finding.isBroken { broken += 1 }
      if !finding.isReached { unreached += 1 }
    }
  }

  /// The id of the tested backend, such as `sqlite`.
  public let backend: String
  /// The backend's options that differ from the default, as on the command line; empty if all have their default.
  public let options: String
  /// The durability requested from the backend: the setting for what a crash or power cut may lose.
  public let durability: Durability
  /// The safety level that the backend promises for the requested durability: what survives a crash or power cut.
  public let level: Level
  /// The store's settings, such as its journal mode, as the open store reports them; empty if no case was tried.
  public internal(set) var settings = ""
  /// The engine's name and version.
  public let engineVersion: String
  /// The id of the injected fault, such as `kill`.
  public let fault: String
  /// The reason why no case was tried, as a phrase; nil if at least one case was tried.
  public internal(set) var notApplicable: String?
  /// A group of the cases of one fault, such as the power cuts by one disk model, with the number of cases per verdict.
  public struct Variant: Sendable, Codable, Equatable {
    /// The name that distinguishes this group from the fault's other groups: `at random times`, the name of a disk
    /// model such as `strict`, or empty.
    public let name: String
    /// Whether the same seed always gives the same cases.
    public let isRepeatable: Bool
    /// The number of cases per verdict.
    public internal(set) var tally = Tally()
    /// The number of cases that are possible in this group; nil if this number is unknown or if all of them can be
    /// tried.
    public internal(set) var possible: Double?
  }

  /// The groups of cases; empty if no case was tried.
  public private(set) var variants: [Variant] = []
  /// The duration of the test of this fault, in seconds.
  public internal(set) var seconds = 0.0

  /// The number of cases per verdict, counting only the cases that the same seed gives again.
  public var tally: Tally { variants.filter(\.isRepeatable).map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// The number of cases per verdict, counting only kills at random times, which differ even for the same seed.
  public var timed: Tally { variants.filter { !$0.isRepeatable }.map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// Returns the number of cases per verdict in the group with this name; see ``Variant/name``.
  public subscript(variant: String) -> Tally { variants.first { $0.name == variant }?.tally ?? Tally() }

  /// Adds the result of another test of the same fault and backend. The other test made different saves.
  public mutating func add(_ other: CrashResult) {
    for variant in other.variants {
      if let index = variants.firstIndex(where: { $0.name == variant.name }) {
        variants[index].tally.add(variant.tally)
        variants[index].possible = variants[index].possible.flatMap { all in
          variant.possible.map { min(all + $0, DiskLog.uncountable) }
        }
      } else {
        variants.append(variant)
      }
    }
    if !other.variants.isEmpty { (notApplicable, settings) = (nil, other.settings) }
    seconds += other.seconds
    notes += other.notes.filter { !notes.contains($0) }
    stories += other.stories.filter { story in
      !stories.contains { $0.verdict == story.verdict && $0.isBroken == story.isBroken && $0.variant == story.variant }
    }
    brokenCases += other.brokenCases
  }

  mutating func add(_ finding: CrashFinding, to name: String, isRepeatable: Bool, possible: Double?) {
    let index = variants.firstIndex { $0.name == name } ?? variants.endIndex
    if index == variants.endIndex {
      variants.append(Variant(name: name, isRepeatable: isRepeatable, possible: possible))
    }
    variants[index].tally.add(finding)
  }

  /// Remarks on the result for the reader of a report, in sentences: for example, the number of cases that were not
  /// tried.
  public internal(set) var notes: [String] = []
  /// Explanations of cases whose verdict is not ``CrashVerdict/kept``. A test explains at most three cases per fault,
  /// broken promises first. It explains one case for each pair of ``CrashStory/verdict`` and ``CrashStory/isBroken``.
  public internal(set) var stories: [CrashStory] = []
  /// The names of all cases that broke a promise, in the order in which the cases were tried.
  public internal(set) var brokenCases: [String] = []

  /// Whether a case broke a promise of the backend.
  public var isBroken: Bool { tally.broken + timed.broken > 0 }
}

/// An explanation of the verdict on one case of a crash test: the call that the fault hit, the expected content and the
/// content found.
public struct CrashStory: Sendable, Codable, CustomStringConvertible {
  /// The name of the case. The option `--only` of a crash test takes the name and repeats the case.
  public let caseName: String
  /// The kind of the case within its fault, such as one of the file system models of a power cut. See
  /// ``CrashResult/Variant/name``.
  public let variant: String
  /// The outcome of the case for the store, such as ``CrashVerdict/torn``.
  public let verdict: CrashVerdict
  /// Whether the case broke a promise of the backend.
  public let isBroken: Bool
  /// The numbers of the saves that are needed to reproduce the case.
  public let saves: [Int]
  /// The explanation, in sentences.
  public let sentences: [String]
  /// The calls of the two processes, in two columns, for the fault `schedule`, in which two processes use the store in
  /// turns; nil for other faults.
  public internal(set) var columns: [String]?
  /// The command that repeats the case.
  public let command: String
  /// The path of a replay file, which contains all data to repeat the case and can be given to `--only`. It is nil if
  /// the name of the case is enough or no replay files were requested.
  public internal(set) var replay: String?
  /// The path of the store that the case left, preserved for inspection; nil if stores are not preserved.
  public internal(set) var store: String?

  public var description: String { (sentences + (columns ?? []) + ["Again: \(command)"]).joined(separator: "\n") }
}
