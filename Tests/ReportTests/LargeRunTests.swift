import Foundation
@testable import TestSupport
import StorageContract
import StorageReport
import StorageRunFiles
import Testing

/// The page of a long run must not take longer than reading the page.
@Suite(.serialized) struct LargeRunTests {
  @Test func `twenty thousand trials reach every format in seconds and little memory`() throws {
    let sizes = (1...166).map { $0 * 100 }
    let cells = sizes.flatMap { size in [SampleRun.sqlite, SampleRun.lmdb].map { SampleRun.save($0, size) } }
    let plan = Plan(
      rounds: 60, cells: cells.map { PlannedCell(cell: $0, level: .intact, engineVersion: "SQLite") })
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    try encoder.encode(plan).write(to: url.appendingPathComponent("plan.json"))
    try encoder.encode(SampleRun.environment).write(to: url.appendingPathComponent("environment.json"))
    var lines = Data()
    var count = 0
    for cell in cells {
      // The lines of a cell differ in their round only; encoding each would take longer than what is tested.
      let line = try String(decoding: encoder.encode(SampleRun.timed(cell, round: 99)), as: UTF8.self)
      for round in 1...60 {
        lines += Data(line.replacing("\"round\":99", with: "\"round\":\(round)").utf8) + Data("\n".utf8)
        count += 1
      }
      lines += try encoder.encode(SampleRun.counted(cell)) + Data("\n".utf8)
      count += 1
    }
    try lines.write(to: url.appendingPathComponent("trials.jsonl"))
    #expect(count > 20_000)
    lines = Data()

    var model: ReportModel?
    // From here on the kernel's record of the highest resident size begins anew.
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let memory = try Self.kilobytes("VmRSS")
    let time = try ContinuousClock().measure {
      let read = try ReportModel(reading: RunDirectory(url: url))
      try read.write(formats: ReportFormats.all)
      model = read
    }
    #expect(model?.trials == count)
    #expect(model?.rows.allSatisfy { $0.processes == 60 && $0.cost != nil } == true)
    let trialLines = try Data(contentsOf: url.appendingPathComponent("trials.csv")).count { $0 == 0x0A }
    #expect(trialLines > count * 8)
    // An optimised build takes 2 s on two cores. A debug build beside other tests takes ten times as long; what is
    // quadratic in the trials would take far longer.
    #expect(time < .seconds(90), "took \(time)")
    let peak = try Self.kilobytes("VmHWM")
    #expect(peak - memory < 300_000)
  }

  /// A figure of this process's memory by its name in /proc/self/status.
  private static func kilobytes(_ name: String) throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}
