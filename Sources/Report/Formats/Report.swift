import Foundation
import StorageRunFiles

/// A report on a run, on a comparison of runs, or on crash tests. Every ``ReportFormat`` can write it.
public protocol Report: Sendable {
  /// The name of the report's files without extension: `report`.
  var name: String { get }
  /// The report as a document: title and sections with text, tables and charts.
  var document: Document { get }
  /// The report in about ten lines, for a README or a message. It has no headings and no folded (hidden) parts.
  var short: Document { get }
  /// The report as a list of test cases for a CI system.
  var testSuite: TestSuite { get }
  /// The errors, warnings and notices that a CI system such as GitHub shows beside a build.
  var annotations: [Annotation] { get }
  /// The measurements for other benchmark tools: one set for a run, two for a comparison.
  var benchmarks: [BenchmarkSet] { get }
  /// Writes the report as JSON, in pieces.
  ///
  /// - Parameter append: Receives the next piece of the text.
  /// - Throws: The encoder's errors, for numbers that JSON cannot represent.
  func writeJSON(to append: @escaping TextFile.Append) throws
  /// Writes the report's CSV tables, if it has any.
  ///
  /// - Throws: `FileWriteError` naming the file; `UsageError` if the journal of the run cannot be read.
  /// - Returns: The files; empty if the report has no tables.
  func writeTables(to directory: URL) throws -> [URL]
}

extension Report {
  /// The test cases of a report: none by default.
  public var testSuite: TestSuite { TestSuite(name: name, cases: []) }
  /// The messages of a report for a CI system: none by default.
  public var annotations: [Annotation] { [] }
  /// The measurements of a report for other benchmark tools: none by default.
  public var benchmarks: [BenchmarkSet] { [] }
  /// Writes the CSV tables of a report: none by default.
  public func writeTables(to directory: URL) throws -> [URL] { [] }
}

extension Report where Self: Encodable {
  /// Writes an encodable report as JSON with sorted keys.
  public func writeJSON(to append: @escaping TextFile.Append) throws {
    try append(String(decoding: try JSONEncoder.pretty.encode(self), as: UTF8.self) + "\n")
  }
}

/// A report as test cases for a CI system, one for each benchmark (one backend doing one workload at one size) or rule.
public struct TestSuite: Sendable {
  /// The outcome of a test case.
  public enum Outcome: Sendable {
    /// The test case succeeded, with an optional remark.
    case passed(String?)
    /// The test case failed. A measurement failed, for example because a store broke a guarantee, or the results broke
    /// a rule, for example by a regression. The two texts are the message and a word for the kind of failure.
    case failed(String, type: String)
    /// The test case could not be completed. The two texts are the message and a word for the kind of error.
    case error(String, type: String)
    /// The test case was not run or not judged. The text is the reason.
    case skipped(String)
  }

  /// A test case: a benchmark (one backend doing one workload at one size) or a rule.
  public struct Case: Sendable {
    /// The name of the test case.
    public var name: String
    /// The group in which a CI system lists the test case, such as the backend.
    public var group: String
    /// The outcome of the test case.
    public var outcome: Outcome
  }

  /// The name of the test suite.
  public var name: String
  /// The test cases, in the order of the plan or of the rules.
  public var cases: [Case]
  /// Remarks that concern all test cases, such as warnings. Empty if there are none.
  public var output: [String] = []
}

/// A message that a CI system shows on its pages. Lists of messages begin with the most severe ones, because most
/// systems show only ten.
public struct Annotation: Sendable {
  /// The severity of a message.
  public enum Level: String, Sendable {
    /// A failure or a regression, which makes the CI check fail.
    case error
    /// A result that could not be judged or is suspicious.
    case warning
    /// Information that is not a defect: an improvement, or a result of a run.
    case notice
  }

  /// The severity of the message.
  public var level: Level
  /// The subject of the message in a word or two, such as `FAILED`; may be empty.
  public var title: String
  /// The text of the message: one sentence.
  public var message: String
}

/// The measurements of a run, or of one side of a comparison, for other benchmark tools.
public struct BenchmarkSet: Sendable {
  /// A count per operation, such as bytes written.
  public struct Count: Sendable {
    /// The name of the count as in the file `costs.csv`, such as `bytes`. See `Measure.name`.
    public var name: String
    /// The unit of the count, `B` or `calls`.
    public var unit: String
    /// The count of bytes, calls or allocations per operation.
    public var value: Double
  }

  /// The measurements of one benchmark cell (combination of backend, workload, size and settings).
  public struct Benchmark: Sendable {
    /// The name of the benchmark, from backend, workload, number of records and durability:
    /// `sqlite/save-one/100/shipped`.
    public var name: String
    /// The number of operations over which ``counts`` were counted. Without counts, it is the number of timed
    /// operations.
    public var operations: Int
    /// The time of an operation in each measuring process, in nanoseconds; empty if nothing was timed.
    public var times: [Double] = []
    /// The median of the times of an operation, in nanoseconds. For a mix of operations, it is the inverse of the
    /// operations per second. Nil if nothing was timed.
    public var latency: Double?
    /// The confidence interval of ``latency``, in nanoseconds. Nil if too few processes were measured.
    public var interval: (low: Double, high: Double)?
    /// The number of operations per second. Nil if nothing was timed.
    public var throughput: Double?
    /// The counts per operation, such as bytes written.
    public var counts: [Count] = []
  }

  /// The side of a comparison: `base` for the older build, `head` for the newer build. Nil if the measurements are
  /// those of a run.
  public var side: String?
  /// Names and values that hold for all benchmarks of the set, such as the machine.
  public var configuration: [(key: String, value: String)]
  /// The measurements, one element for each benchmark cell (combination of backend, workload, size and settings).
  public var benchmarks: [Benchmark]
}
