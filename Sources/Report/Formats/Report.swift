import Foundation
import StorageRunFiles

/// The input of the formats: a run's report, a comparison, or the record of crash tests. A format uses only the members
/// of this protocol.
public protocol Report: Sendable {
  /// The base name of the report's files: `report`.
  var name: String { get }
  /// The report for people.
  var document: Document { get }
  /// The report in about ten lines for a README or a message, without headings and folded parts.
  var short: Document { get }
  /// The test cases for a CI system.
  var testSuite: TestSuite { get }
  /// The annotations that a CI system shows beside the code.
  var annotations: [Annotation] { get }
  /// The figures for other benchmark tools: one set for a run, two for a comparison.
  var benchmarks: [BenchmarkSet] { get }
  /// Writes the report for programs, as JSON.
  ///
  /// - Parameter append: Receives the text in pieces.
  /// - Throws: The encoder's errors, for numbers that JSON cannot represent.
  func writeJSON(to append: @escaping TextFile.Append) throws
  /// Writes the tables for spreadsheets.
  ///
  /// - Throws: `FileWriteError` naming the file; `UsageError` if the run's trials cannot be read again.
  /// - Returns: The files; empty if the report has no tables.
  func writeTables(to directory: URL) throws -> [URL]
}

extension Report {
  /// The default: no test cases.
  public var testSuite: TestSuite { TestSuite(name: name, cases: []) }
  /// The default: no annotations.
  public var annotations: [Annotation] { [] }
  /// The default: no figures for other benchmark tools.
  public var benchmarks: [BenchmarkSet] { [] }
  /// Writes no tables; the default.
  public func writeTables(to directory: URL) throws -> [URL] { [] }
}

extension Report where Self: Encodable {
  /// Writes the report's encoding with sorted keys; the default for encodable reports.
  public func writeJSON(to append: @escaping TextFile.Append) throws {
    try append(String(decoding: try JSONEncoder.pretty.encode(self), as: UTF8.self) + "\n")
  }
}

/// The benchmark cells or rules as test cases for a CI system.
public struct TestSuite: Sendable {
  /// The result of a test case.
  public enum Outcome: Sendable {
    /// The test case succeeded, with an optional remark.
    case passed(String?)
    /// A guarantee or a rule does not hold.
    case failed(String, type: String)
    /// The test case could not be completed.
    case error(String, type: String)
    /// The test case was not run, or not judged.
    case skipped(String)
  }

  /// A test case: a benchmark cell or a rule.
  public struct Case: Sendable {
    /// The name of the test case.
    public var name: String
    /// The group of the test case in a CI system's list.
    public var group: String
    /// The result of the test case.
    public var outcome: Outcome
  }

  /// The name of the test suite.
  public var name: String
  /// The test cases, in the order of the plan.
  public var cases: [Case]
  /// Remarks about all test cases.
  public var output: [String] = []
}

/// A line that a CI system shows beside the code. The worst come first, because most systems show ten of a kind.
public struct Annotation: Sendable {
  /// The severity of an annotation.
  public enum Level: String, Sendable {
    /// A failure or a regression; the gate fails.
    case error
    /// A result that could not be judged or is suspicious, and should be read.
    case warning
    /// Information that is not a defect: an improvement, or a result of a run.
    case notice
  }

  /// The severity of the annotation.
  public var level: Level
  /// The subject in a word or two, shown after the suite's name; may be empty.
  public var title: String
  /// The message, one sentence.
  public var message: String
}

/// The figures of a run, or of one side of a comparison, for benchmark tools.
public struct BenchmarkSet: Sendable {
  /// A count per operation, such as bytes written.
  public struct Count: Sendable {
    /// The count's name as in `costs.csv`: `bytes`. See `Measure.name`.
    public var name: String
    /// The unit of the count, `B` or `calls`.
    public var unit: String
    /// The count per operation.
    public var value: Double
  }

  /// The figures of a benchmark cell.
  public struct Benchmark: Sendable {
    /// The cell's name.
    public var name: String
    /// The number of operations behind the counts; at least 1.
    public var operations: Int
    /// The time of an operation in each process, in nanoseconds; empty if nothing was timed.
    public var times: [Double] = []
    /// The median of the times of an operation, in nanoseconds.
    public var latency: Double?
    /// The interval of ``latency``, in nanoseconds.
    public var interval: (low: Double, high: Double)?
    /// The number of operations per second.
    public var throughput: Double?
    /// The counts per operation.
    public var counts: [Count] = []
  }

  /// The side of the comparison, `base` or `head`; nil for a run.
  public var side: String?
  /// The conditions common to all benchmarks, such as the machine.
  public var configuration: [(key: String, value: String)]
  /// The benchmark cells that have figures.
  public var benchmarks: [Benchmark]
}
