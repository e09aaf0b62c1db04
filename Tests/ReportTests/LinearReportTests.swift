import Foundation
@testable import SampleRuns
import StorageContract
import StorageReport
import StorageRunFiles
import Testing

/// Reports of four times the cells take about four times the work.
@Suite struct LinearReportTests {
  private func report(workloads: Int) throws -> RunReport {
    let cells = (1...workloads).flatMap { number in
      [SampleRun.plist, SampleRun.sqlite, SampleRun.lmdb].flatMap { backend in
        [100, 1_000].map { size in
          Cell(
            backend: backend, workload: Spec(verbatim: "import:batch=\(number)"), records: size, durability: .shipped)
        }
      }
    }
    let plan = Plan(
      rounds: 6, cells: cells.map { PlannedCell(cell: $0, level: .intact, engineVersion: "1") })
    var builder = SummaryBuilder(plan: plan, machine: "abcd", run: "run")
    for cell in cells {
      for round in 1...6 { builder.add(SampleRun.timed(cell, round: round)) }
      builder.add(SampleRun.counted(cell))
    }
    // On this thread alone, whose time is taken.
    return RunReport(
      ReportModel(
        directory: RunDirectory(path: "/nowhere"), plan: plan, environment: SampleRun.environment, rows: builder.rows,
        trials: cells.count * 7), isParallel: false)
  }

  /// Processor time of this thread, in seconds: other tests run beside this one.
  private func work(_ workloads: Int) throws -> Double {
    var (before, after) = (timespec(), timespec())
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
    let report = try report(workloads: workloads)
    #expect(try !HTMLFormat().text(report).isEmpty)
    #expect(!MarkdownFormat.text(report.document).isEmpty)
    #expect(try !JSONFormat().text(report).isEmpty)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
    return Double(after.tv_sec - before.tv_sec) + Double(after.tv_nsec - before.tv_nsec) / 1e9
  }

  @Test func fourTimesTheCellsAreAboutFourTimesTheWork() throws {
    _ = try work(2)
    let few = try min(work(10), work(10))
    let many = try work(40)
    // What is quadratic in the cells would come to 16.
    #expect(many < 9 * few, "\(many) s against \(few) s")
  }
}
