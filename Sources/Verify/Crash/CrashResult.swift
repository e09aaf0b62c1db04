import StorageContract

/// The result of a crash test for one kind of fault, such as a power cut, on one backend at one durability.
public struct CrashResult: Sendable, Codable {
  /// The number of crash-test cases for each verdict on the store, such as ``CrashVerdict/kept``. A crash-test case
  /// injects one fault.
  public struct Tally: Sendable, Codable, Equatable {
    /// The number of crash-test cases (each with one injected fault) for each verdict on the store.
    public private(set) var verdicts: [CrashVerdict: Int] = [:]
    /// The number of crash-test cases in which the backend broke a guarantee.
    public private(set) var broken = 0
    /// The number of crash-test cases in which the fault did not occur, for example because the store made fewer system
    /// calls than expected.
    public private(set) var unreached = 0

    /// The number of all crash-test cases in this tally.
    public var cases: Int { verdicts.values.reduce(0, +) }

    /// Returns the number of crash-test cases with this verdict; 0 if there is none.
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
  /// The reason why the fault was not tried on this backend, as a phrase; nil if the fault was tried.
  public internal(set) var notApplicable: String?
  /// The results for one variant of a fault. For example, flipped bits in data files are a variant of file damage.
  public struct Variant: Sendable, Codable, Equatable {
    /// The name of the variant of the fault, such as `flip data` for flipped bits in data files. Empty for the standard
    /// variant.
    public let name: String
    /// Whether a second crash test with the same seed injects the faults at the same points. False for kills at random
    /// times.
    public let isRepeatable: Bool
    /// The number of crash-test cases with this variant of the fault, for each verdict such as ``CrashVerdict/kept``.
    public internal(set) var tally = Tally()
    /// For a power cut, the number of possible disk states, tried or not. Torn (half done) writes are not counted. Nil
    /// if unknown.
    public internal(set) var possible: Double?
  }

  /// The variants of the fault that were tried, such as flipped bits in data files and flipped bits in log files.
  public private(set) var variants: [Variant] = []
  /// The duration of the test of this fault, in seconds.
  public internal(set) var seconds = 0.0

  /// The number of crash-test cases for each verdict on the store. Kills at random times are counted in ``timed``
  /// instead.
  public var tally: Tally { variants.filter(\.isRepeatable).map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// The number of kills at random times for each verdict on the store. A second crash test with the same seed may give
  /// other numbers.
  public var timed: Tally { variants.filter { !$0.isRepeatable }.map(\.tally).reduce(into: Tally()) { $0.add($1) } }
  /// Returns the tally of one variant of the fault, such as `flip data`. The tally of an unknown variant is empty.
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
  /// Explanations of a few crash-test cases that did not end with ``CrashVerdict/kept``. Cases with a broken guarantee
  /// come first, except after ``add(_:)``.
  public internal(set) var stories: [CrashStory] = []
  /// The names of all crash-test cases in which the backend broke a guarantee. `kill:save=3:call=2` is a kill at the
  /// second system call of save 3.
  public internal(set) var brokenCases: [String] = []

  /// Whether the backend broke a guarantee in at least one crash-test case.
  public var isBroken: Bool { tally.broken + timed.broken > 0 }
}

/// An explanation of the verdict on one crash-test case: the fault, the expected content of the store and the content
/// found.
public struct CrashStory: Sendable, Codable, CustomStringConvertible {
  /// The name of the explained crash-test case, such as `kill:save=3:call=2:byte=17`. The option `--only` with this
  /// name repeats the case.
  public let caseName: String
  /// The name of the tested variant of the fault, such as `flip data` for flipped bits in data files. Empty for the
  /// standard variant.
  public let variant: String
  /// The verdict on the store after the fault, such as ``CrashVerdict/torn``.
  public let verdict: CrashVerdict
  /// Whether the backend broke a guarantee in the explained crash-test case.
  public let isBroken: Bool
  /// The numbers of the saves that the explained crash-test case makes, such as 1 and 3. The first save of a crash test
  /// is save 1.
  public let saves: [Int]
  /// The sentences of the explanation, such as `Expected: an empty store.`
  public let sentences: [String]
  /// Lines of text that show the system calls of two processes side by side. Nil for a fault that involves only one
  /// process.
  public internal(set) var columns: [String]?
  /// The shell command that repeats the explained crash-test case.
  public let command: String
  /// The path of a replay file, which repeats the crash-test case on another machine (option `--only`). Nil if no file
  /// was written.
  public internal(set) var replay: String?
  /// The path of a copy of the store after the fault; nil if no copy was requested.
  public internal(set) var store: String?

  public var description: String { (sentences + (columns ?? []) + ["Again: \(command)"]).joined(separator: "\n") }
}
