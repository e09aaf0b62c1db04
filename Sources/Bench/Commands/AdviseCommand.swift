import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// `advise`: which backend to take for an app, by what a run measured.
struct AdviseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise", abstract: "Rank the backends for an app, by what a run measured.",
    discussion: """
      The time of a save with the reads that go with it, at the app's number of records: measured, interpolated between \
      the sizes measured, or extrapolated, which is then said. Without --durability each level has its own ranking.
      """)

  @Argument(help: ArgumentHelp("The run's directory (results/latest).", valueName: "dir"), completion: .directory)
  var directory = "results/latest"

  @Option(help: ArgumentHelp("How many records the app keeps: 2000, 10k.", valueName: "n"))
  var records: String

  @Option(help: ArgumentHelp("How many records it reads for each one that it saves: 20, 0.5.", valueName: "r"))
  var readsPerSave: String

  @Option(help: ArgumentHelp("Payload bytes of a record (those of the run).", valueName: "b"))
  var recordBytes: String?

  @Option(
    help: ArgumentHelp(
      "What must survive: \(Durability.allCases.map(\.rawValue).joined(separator: ", ")) (shipped).", valueName: "level"
    ), completion: .list(Durability.allCases.map(\.rawValue)))
  var durability: String?

  @Option(help: ArgumentHelp("Maximum time from launch to first screen: 100ms.", valueName: "time"))
  var launchBudget: String?

  func run() throws {
    let app = AppDescription(
      records: try Numbers.count(records, flag: "--records", in: FileNumbers.records), readsPerSave: try reads(),
      recordBytes: try recordBytes.map { try Numbers.count($0, flag: "--record-bytes", in: 0...(1 << 30)) },
      durability: try durability.map { try Numbers.choice($0, flag: "--durability", kind: "durability") } ?? .shipped,
      launchBudget: try launchBudget.map {
        Double(try Numbers.time($0, flag: "--launch-budget", in: 1_000_000...3_600_000_000_000))
      })
    let model = try ReportModel(reading: RunDirectory(path: directory))
    let advice = Advice(app, by: model)
    guard !advice.rankings.isEmpty || !advice.refusals.isEmpty else {
      throw UsageError(
        "\(directory) has no rows of \(CostSeries.signature), which advice rests on; "
          + "give a run of the profile quick, or run -w \(CostSeries.signature),read-one -n \(app.records)")
    }
    if let obstacle = advice.obstacle {
      throw UsageError("\(directory): \(obstacle)" + (advice.measure.map { "; measure them: \($0)" } ?? ""))
    }
    Screen.show(advice.document)
  }

  private func reads() throws -> Double {
    guard let reads = Double(readsPerSave), reads >= 0, reads <= 1e9 else {
      throw UsageError("--reads-per-save '\(readsPerSave)' is not usable; give a number such as 20 or 0.5")
    }
    return reads
  }
}
