import StorageContract

/// The result of a crash test for one kind of fault, such as a power cut, on one backend at one durability.
public struct CrashResult: Sendable, Codable {
  /// A tally of the cases of a crash test: the number of cases for each verdict, such as ``CrashVerdict/kept``.
  public struct Tally: Sendable, Codable, Equatable {
    /// The number of crash test cases for each verdict. Verdicts without cases are left out.
    public private(set) var verdicts: [CrashVerdict: Int] = [:]
    /// The number of crash test cases in which the backend broke a promise.
    public private(set) var broken = 0
    /// The number of cases in which the fault did not occur, for example because the store made fewer system calls than
    /// expected.
    public private(set) var unreached = 0

    /// The number of all crash test cases in this tally.
    public var cases: Int { verdicts.values.reduce(0, +) }

    /// Creates a tally without cases.
    public init() {}

    /// Returns the number of cases with this verdict; 0 if there is none.
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
  /// The backend's options that differ from the default, as on the command line: `journal=wal`; empty if there are
  /// none.
  public let options: String
  /// The durability requested from the backend, such as `durable`.
  public let durability: Durability
  /// The safety level that the backend promises for the requested durability.
  public let level: Level
  /// The settings that the open store reported, such as its journal mode. Empty if the fault was not tried on this
  /// backend.
  public internal(set) var settings = ""
  /// The engine's name and version.
  public let engineVersion: String
  /// The id of the injected fault, such as `kill`.
  public let fault: String
  /// The reason why the fault was not tried on this backend, as a phrase; nil if it was tried.
  public internal(set) var notApplicable: String?
  /// A variant of a fault, such as flipped bits in data files, or one disk model for power cuts, with the results of
  /// its cases.
  public struct Variant: Sendable, Codable, Equatable {
    /// The name of the variant, such as `flip data`. Empty for the ordinary cases of a fault, such as kills in a chosen
    /// system call.
    public let name: String
    /// Whether a second crash test with the same seed tries the same cases of this variant. False for kills at random
    /// times.
    public let isRepeatable: Bool
    /// The number of cases of this variant for each verdict, such as ``CrashVerdict/kept``.
    public internal(set) var tally = Tally()
    /// The number of all possible cases of this variant, such as the disk states after power cuts. Nil if not computed.
    public internal(set) var possible: Double?
  }

  /// The variants of the fault that were tried, such as flipped bits in data files and flipped bits in log files.
  public private(set) var variants: [Variant] = []
  /// The duration of the test of this fault, in seconds.
  public internal(set) var seconds = 0.0

  /// The number of cases for each verdict over all variants of the fault, except for kills at random times: see
  /// ``timed``.
  public var tally: Tally { variants.filter(\.isRepeatable).map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// The number of kills at random times for each verdict. These kills differ from test to test, even with the same
  /// seed.
  public var timed: Tally { variants.filter { !$0.isRepeatable }.map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// Returns the number of cases for each verdict of one variant, such as `flip data`. Empty for an unknown variant.
  public subscript(variant: String) -> Tally { variants.first { $0.name == variant }?.tally ?? Tally() }

  /// Adds the result of another crash test of the same backend, with the same fault but other saves.
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

  /// Remarks on the result for a report. Each one is a sentence, such as `In 3 of 50 cases the fault came to nothing.`
  public internal(set) var notes: [String] = []
  /// Explanations of at most three cases per fault whose verdict is not ``CrashVerdict/kept``, broken promises first.
  public internal(set) var stories: [CrashStory] = []
  /// The names of all cases that broke a promise, such as `kill:save=3:call=2`, in the order in which they were tried.
  public internal(set) var brokenCases: [String] = []

  /// Whether the backend broke a promise in at least one case.
  public var isBroken: Bool { tally.broken + timed.broken > 0 }
}

/// An explanation of the verdict on one case: the fault, the expected content of the store and the content found.
public struct CrashStory: Sendable, Codable, CustomStringConvertible {
  /// The name of the case, such as `kill:save=3:call=2:byte=17`. With this name, the option `--only` repeats the case.
  public let caseName: String
  /// The name of the fault's variant, such as `flip data`. Empty for ordinary cases, such as a kill in a chosen system
  /// call.
  public let variant: String
  /// The verdict on the store after the fault, such as ``CrashVerdict/torn``.
  public let verdict: CrashVerdict
  /// Whether the backend broke a promise in this case.
  public let isBroken: Bool
  /// The numbers of the saves that reproduce the case, such as 1 and 3.
  public let saves: [Int]
  /// The sentences of the explanation, such as `Expected: an empty store.`
  public let sentences: [String]
  /// The system calls of two processes that alternately used one store, as a column of text for each. Nil unless the
  /// fault is `schedule`.
  public internal(set) var columns: [String]?
  /// The shell command that repeats the case.
  public let command: String
  /// The path of a replay file, with which the option `--only` repeats the case on another machine; nil if none was
  /// written.
  public internal(set) var replay: String?
  /// The path of a copy of the store after the fault; nil if no copy was requested.
  public internal(set) var store: String?

  public var description: String { (sentences + (columns ?? []) + ["Again: \(command)"]).joined(separator: "\n") }
}
