import Foundation

/// What is written in the formats: a run's report, a comparison, or the record of crash tests. Formats know no more of
/// each than this.
public protocol Report: Sendable {
  /// What its files are called, without their endings: `report`.
  var name: String { get }
  /// What people read.
  var document: Document { get }
  /// The same in ten lines or so, for a README or a message: no headings, nothing folded.
  var short: Document { get }
  /// What a CI system lists.
  var testSuite: TestSuite { get }
  /// What a CI system shows beside the code.
  var annotations: [Annotation] { get }
  /// What other tools for benchmarks read: one set for a run, two for a comparison.
  var benchmarks: [BenchmarkSet] { get }
  /// Writes what programs read, as JSON.
  ///
  /// - Parameter append: Takes the text, piece by piece.
  /// - Throws: What the encoder throws, for figures that JSON does not have.
  func writeJSON(to append: @escaping TextFile.Append) throws
  /// Writes what spreadsheets read.
  ///
  /// - Throws: `FileWriteError` naming the file; `UsageError` where the run's trials cannot be read again.
  /// - Returns: The files; none where there is no such form of it.
  func writeTables(to directory: URL) throws -> [URL]
}

extension Report {
  /// Nothing passes or fails, unless a report says otherwise.
  public var testSuite: TestSuite { TestSuite(name: name, cases: []) }
  /// Nothing is to be shown beside the code, unless a report says otherwise.
  public var annotations: [Annotation] { [] }
  /// No figures of one build, unless a report says otherwise.
  public var benchmarks: [BenchmarkSet] { [] }
  /// No tables for spreadsheets, unless a report says otherwise.
  public func writeTables(to directory: URL) throws -> [URL] { [] }
}

extension Report where Self: Encodable {
  /// Its encoding, its keys sorted.
  public func writeJSON(to append: @escaping TextFile.Append) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try append(String(decoding: try encoder.encode(self), as: UTF8.self) + "\n")
  }
}

/// Cells or rules as the test cases of a CI system.
public struct TestSuite: Sendable {
  /// What became of a case.
  public enum Outcome: Sendable {
    /// It is as it should be; what is to be said of it, or nil.
    case passed(String?)
    /// What was promised does not hold.
    case failed(String, type: String)
    /// It could not be brought to an end.
    case error(String, type: String)
    /// It was not run, or not judged.
    case skipped(String)
  }

  /// A cell, or a rule.
  public struct Case: Sendable {
    /// Its name.
    public var name: String
    /// By what a CI system's list groups it.
    public var group: String
    /// What became of it.
    public var outcome: Outcome
  }

  /// What was done.
  public var name: String
  /// The cases, in the order of the plan.
  public var cases: [Case]
  /// What is said of all of them.
  public var output: [String] = []
}

/// A line that a CI system shows beside the code, the worst first: most show ten of a kind.
public struct Annotation: Sendable {
  /// How bad it is.
  public enum Level: String, Sendable {
    /// Something is broken or has regressed: the gate fails.
    case error
    /// Something could not be judged, or is suspicious: somebody should read it.
    case warning
    /// Worth knowing and no defect: an improvement, or what a run has found.
    case notice
  }

  /// How bad it is.
  public var level: Level
  /// In a word or two what it is about, beyond the suite's name; empty for nothing more.
  public var title: String
  /// One sentence.
  public var message: String
}

/// Figures of one side as tools for benchmarks read them.
public struct BenchmarkSet: Sendable {
  /// A count per operation.
  public struct Count: Sendable {
    /// As `costs.csv` calls it: `bytes`. See `Measure.name`.
    public var name: String
    /// `B` or `calls`.
    public var unit: String
    /// Per operation.
    public var value: Double
  }

  /// A cell.
  public struct Benchmark: Sendable {
    /// The cell's name.
    public var name: String
    /// How many operations counts are of; at least 1.
    public var operations: Int
    /// The time of an operation in each process, in nanoseconds; empty where nothing was timed.
    public var times: [Double] = []
    /// The median of the times, in nanoseconds.
    public var latency: Double?
    /// Its interval.
    public var interval: (low: Double, high: Double)?
    /// Operations per second.
    public var throughput: Double?
    /// What was counted.
    public var counts: [Count] = []
  }

  /// `base` or `head`; nil for a run.
  public var side: String?
  /// What is true of all of them, such as the machine.
  public var configuration: [(key: String, value: String)]
  /// The cells that have figures.
  public var benchmarks: [Benchmark]
}
