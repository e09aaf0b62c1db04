import Foundation
@testable import TestSupport
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
    return RunReport(
      ReportModel(
        directory: RunDirectory(path: "/nowhere"), plan: plan, environment: SampleRun.environment, rows: builder.rows,
        trials: cells.count * 7))
  }

  private func write(_ workloads: Int) throws {
    let report = try report(workloads: workloads)
    #expect(try !HTMLFormat().text(report).isEmpty)
    #expect(!MarkdownFormat.text(report.document).isEmpty)
    #expect(try !JSONFormat().text(report).isEmpty)
  }

  @Test func fourTimesTheCellsAreAboutFourTimesTheWork() throws {
    try write(2)
    // What is quadratic in the cells would come to 16.
    let ratio = try WorkGrowth.ratio(enough: 9) {
      try write(10)
    } to: {
      try write(40)
    }
    #expect(ratio < 9)
  }
}
