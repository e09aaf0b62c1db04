import StorageContract

/// What one kind of fault has shown of one backend at one durability.
public struct CrashResult: Sendable, Codable {
  /// Verdicts of cases.
  public struct Tally: Sendable, Codable, Equatable {
    /// How many cases have each verdict; those that none has are left out.
    public private(set) var verdicts: [CrashVerdict: Int] = [:]
    /// How many of them break what the backend promises.
    public private(set) var broken = 0
    /// How many of them the fault came to nothing in, since the call was not made.
    public private(set) var unreached = 0

    /// How many cases there are.
    public var cases: Int { verdicts.values.reduce(0, +) }

    /// None.
    public init() {}

    /// How many cases have a verdict.
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
  /// Its options that differ from the default, as on the command line.
  public let options: String
  /// What was asked for.
  public let durability: Durability
  /// What it promises for that.
  public let level: Level
  /// The settings in force, as the store reads them back; empty where nothing was tried.
  public internal(set) var settings = ""
  /// The engine's name and version.
  public let engineVersion: String
  /// The fault's id.
  public let fault: String
  /// Why nothing was tried, as a half sentence; nil where something was.
  public internal(set) var notApplicable: String?
  /// Cases of one kind, and what became of them.
  public struct Variant: Sendable, Codable, Equatable {
    /// What sets them apart from others of the same fault: `at random times`, or the model of a disk. Or empty.
    public let name: String
    /// Whether they are the same for the same seed.
    public let isRepeatable: Bool
    /// What became of them.
    public internal(set) var tally = Tally()
    /// How many there may be, where that is known and more than can be tried.
    public internal(set) var possible: Double?
  }

  /// What became of the cases; none where nothing was tried.
  public private(set) var variants: [Variant] = []
  /// How long it took, in seconds.
  public internal(set) var seconds = 0.0

  /// What became of all cases that are the same for the same seed.
  public var tally: Tally { variants.filter(\.isRepeatable).map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// What became of cases that do not repeat: kills at random times.
  public var timed: Tally { variants.filter { !$0.isRepeatable }.map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// What became of the cases of one variant.
  public subscript(variant: String) -> Tally { variants.first { $0.name == variant }?.tally ?? Tally() }

  /// Takes in what the same fault has shown of the same backend with other saves.
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

  /// What else is to be said, in sentences.
  public internal(set) var notes: [String] = []
  /// One story for each verdict but ``CrashVerdict/kept``, those of broken promises first.
  public internal(set) var stories: [CrashStory] = []
  /// Every case that broke a promise, in the order in which they were tried.
  public internal(set) var brokenCases: [String] = []

  /// Whether a promise was broken.
  public var isBroken: Bool { tally.broken + timed.broken > 0 }
}

/// How a store came to what it came to: which call, which file, what was expected, what was found.
public struct CrashStory: Sendable, Codable, CustomStringConvertible {
  /// The case, to be repeated by `--only`.
  public let caseName: String
  /// Which cases of its fault it is one of, see ``CrashResult/Variant/name``.
  public let variant: String
  /// What became of it.
  public let verdict: CrashVerdict
  /// Whether a promise was broken.
  public let isBroken: Bool
  /// The saves that it takes, by their numbers in the history.
  public let saves: [Int]
  /// The story, in sentences.
  public let sentences: [String]
  /// The command that repeats it.
  public let command: String
  /// The file that `--only` takes in place of the case, if replays were asked for and the case's name is not enough.
  public internal(set) var replay: String?
  /// Where the store was left, if it was asked for.
  public internal(set) var store: String?

  public var description: String { (sentences + ["Again: \(command)"]).joined(separator: "\n") }
}
