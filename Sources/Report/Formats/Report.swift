import Foundation
import StorageRunFiles

/// A report on a benchmark run, a comparison or crash tests.
public protocol Report: Sendable {
  /// The name of the report's files without extension, such as `report`.
  var name: String { get }
  /// The report as a document: title and sections with text, tables and charts.
  var document: Document { get }
  /// The report in about ten lines without headings, for a README or a message.
  var short: Document { get }
  /// The report as a list of test cases for a CI system.
  var testSuite: TestSuite { get }
  /// The messages that a CI system shows beside a build, the most severe first, because most systems show only ten.
  var annotations: [Annotation] { get }
  /// The measurements to export to other benchmark tools: one set for a run, two for a comparison (old and new side).
  var benchmarks: [BenchmarkSet] { get }
  /// Writes the report as JSON, in pieces.
  ///
  /// - Parameter append: A function that receives the pieces of the text in order.
  /// - Throws: The encoder's errors, for numbers that JSON cannot represent.
  func writeJSON(to append: @escaping TextFile.Append) throws
  /// Writes the report's CSV tables, if it has any.
  ///
  /// - Throws: `FileWriteError` naming the file; `UsageError` if the recorded measurements of the run cannot be read.
  /// - Returns: The written files. Empty if the report has no tables.
  func writeTables(to directory: URL) throws -> [URL]
}

extension Report {
  /// The test cases of a report: none by default.
  public var testSuite: TestSuite { TestSuite(name: name, cases: []) }
  /// The messages of a report for a CI system: none by default.
  public var annotations: [Annotation] { [] }
  /// The measurements to export to other benchmark tools, such as Bencher: none by default.
  public var benchmarks: [BenchmarkSet] { [] }
  /// Writes the CSV tables of a report: none by default.
  public func writeTables(to directory: URL) throws -> [URL] { [] }
}

extension Report where Self: Encodable {
  /// Writes an encodable report as JSON with sorted keys.
  public func writeJSON(to append: @escaping TextFile.Append) throws {
    try append(JSONEncoder.pretty.text(self) + "\n")
  }
}

/// The test cases of a report for a CI system, one for each benchmark or rule.
public struct TestSuite: Sendable {
  /// The outcome of a test case for a CI system, such as ``passed(_:)``.
  public enum Outcome: Sendable {
    /// The outcome of a successful benchmark or a kept rule, with an optional remark.
    case passed(String?)
    /// The outcome of a broken rule, or of a benchmark that failed or became worse: a message and the kind of failure.
    case failed(String, type: String)
    /// The outcome of a benchmark that could not be completed: a message and the kind of error.
    case error(String, type: String)
    /// The outcome of a benchmark or rule that was not run or not judged, with the reason.
    case skipped(String)
  }

  /// A test case for a CI system: one benchmark or one rule.
  public struct Case: Sendable {
    /// The name of the test case, such as `sqlite/save-one/100/shipped`.
    public var name: String
    /// The group in which a CI system lists the test case, such as the backend.
    public var group: String
    /// The outcome of the test case.
    public var outcome: Outcome
  }

  /// The name under which a CI system shows the test cases of this report.
  public var name: String
  /// The test cases: one for each benchmark or rule.
  public var cases: [Case]
  /// Remarks that concern all test cases, such as warnings. Empty if there are none.
  public var output: [String] = []
}

/// A message that a CI system shows beside a build.
public struct Annotation: Sendable {
  /// The severity of a message.
  public enum Level: String, Sendable {
    /// A failure or a regression, which makes the CI check fail.
    case error
    /// A result that could not be judged or is suspicious.
    case warning
    /// Information about a result that needs no action, such as an improvement.
    case notice
  }

  /// The severity of the message.
  public var level: Level
  /// The title of the message, such as `FAILED` for a failed benchmark. May be empty.
  public var title: String
  /// The text of the message: one sentence.
  public var message: String
}

/// The measurements of a run, or of one side of a comparison, for other benchmark tools such as Bencher.
public struct BenchmarkSet: Sendable {
  /// A counted quantity per operation, such as bytes written.
  public struct Count: Sendable {
    /// The name of the counted quantity, such as `bytes` for bytes written; see `Measure.name`.
    public var name: String
    /// The unit of ``value``, such as `B` for bytes written or `calls` for the number of syncs.
    public var unit: String
    /// The number of bytes, calls or allocations per operation.
    public var value: Double
  }

  /// The measurements of one benchmark (backend, workload, number of records and settings).
  public struct Benchmark: Sendable {
    /// The name of the benchmark, such as `sqlite/save-one/100/shipped`.
    public var name: String
    /// The number of operations over which ``counts`` are averaged. Without counts, the number of timed operations,
    /// or 1 if unknown.
    public var operations: Int
    /// The time of an operation in each measuring process, in nanoseconds; empty if nothing was timed.
    public var times: [Double] = []
    /// The median time of an operation in nanoseconds; for a mix of operations, 1e9 divided by ``throughput``. Nil if
    /// not timed.
    public var latency: Double?
    /// The confidence interval of ``latency``, in nanoseconds. Nil if too few processes were measured.
    public var interval: (low: Double, high: Double)?
    /// The number of operations per second. Nil if nothing was timed.
    public var throughput: Double?
    /// The counts per operation, such as bytes written.
    public var counts: [Count] = []
  }

  /// The side of a comparison: `base` for the old build or run, `head` for the new one. Nil for a single run.
  public var side: String?
  /// Facts about all measurements in ``benchmarks``, as keys and values, such as `machine` with a short hash.
  public var configuration: [(key: String, value: String)]
  /// The measurements, one element for each benchmark.
  public var benchmarks: [Benchmark]
}
