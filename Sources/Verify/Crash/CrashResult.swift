import StorageContract

/// The result of one kind of fault for one backend at one durability.
public struct CrashResult: Sendable, Codable {
  /// A count of verdicts.
  public struct Tally: Sendable, Codable, Equatable {
    /// The number of cases for each verdict. Verdicts without cases are left out.
    public private(set) var verdicts: [CrashVerdict: Int] = [:]
    /// The number of cases that break a promise of the backend.
    public private(set) var broken = 0
    /// The number of cases in which the fault had no effect, because the call was not made.
    public private(set) var unreached = 0

    /// The number of cases.
    public var cases: Int { verdicts.values.reduce(0, +) }

    /// Creates an empty tally.
    public init() {}

    /// Returns the number of cases with a verdict.
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

  /// The backend's id.
  public let backend: String
  /// The options that differ from the default, as on the command line.
  public let options: String
  /// The requested durability.
  public let durability: Durability
  /// The level that the backend promises for the requested durability.
  public let level: Level
  /// The settings in force, as the store reads them back; empty if nothing was tried.
  public internal(set) var settings = ""
  /// The engine's name and version.
  public let engineVersion: String
  /// The fault's id.
  public let fault: String
  /// The reason that nothing was tried, as a half sentence; nil if something was.
  public internal(set) var notApplicable: String?
  /// A group of cases of one fault, and their verdicts.
  public struct Variant: Sendable, Codable, Equatable {
    /// The difference from other variants of the same fault: `at random times`, the model of a disk, or empty.
    public let name: String
    /// Whether the same seed gives the same cases.
    public let isRepeatable: Bool
    /// The verdicts of the cases.
    public internal(set) var tally = Tally()
    /// The number of possible cases, if it is known and more than can be tried.
    public internal(set) var possible: Double?
  }

  /// The variants of the fault; none if nothing was tried.
  public private(set) var variants: [Variant] = []
  /// The duration of the test, in seconds.
  public internal(set) var seconds = 0.0

  /// The verdicts of all cases that repeat for the same seed.
  public var tally: Tally { variants.filter(\.isRepeatable).map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// The verdicts of the cases that do not repeat: kills at random times.
  public var timed: Tally { variants.filter { !$0.isRepeatable }.map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// Returns the verdicts of one variant.
  public subscript(variant: String) -> Tally { variants.first { $0.name == variant }?.tally ?? Tally() }

  /// Adds the results of the same fault and backend with other saves.
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

  /// Further remarks, in sentences.
  public internal(set) var notes: [String] = []
  /// One story (explanation) for each verdict except ``CrashVerdict/kept``, those of broken promises first.
  public internal(set) var stories: [CrashStory] = []
  /// Every case that broke a promise, in the order of the trials.
  public internal(set) var brokenCases: [String] = []

  /// Whether a promise was broken.
  public var isBroken: Bool { tally.broken + timed.broken > 0 }
}

/// The explanation of a case's verdict: the call, the file, the expected content and the content found.
public struct CrashStory: Sendable, Codable, CustomStringConvertible {
  /// The name of the case, which `--only` repeats.
  public let caseName: String
  /// The variant of the case; see ``CrashResult/Variant/name``.
  public let variant: String
  /// The verdict of the case.
  public let verdict: CrashVerdict
  /// Whether a promise was broken.
  public let isBroken: Bool
  /// The saves needed to reproduce the case, by their numbers in the history.
  public let saves: [Int]
  /// The explanation, in sentences.
  public let sentences: [String]
  /// The command that repeats the case.
  public let command: String
  /// The replay file to pass to `--only`, if replays were requested and the name of the case is not enough.
  public internal(set) var replay: String?
  /// The path of the preserved store, if it was requested.
  public internal(set) var store: String?

  public var description: String { (sentences + ["Again: \(command)"]).joined(separator: "\n") }
}
