import StorageContract
import StorageRunFiles
import StorageStatistics

extension Advice {
  /// The maximum factor by which an app's records may be larger or smaller than the benchmark's records.
  private static let sizeReach = 2

  static func obstacle(
    _ app: AppDescription, _ basis: AdviceBasis, _ candidates: [Candidate], _ absences: [Absence]
  ) -> String? {
    if let wanted = app.recordBytes, let measured = basis.recordBytes,
      max(wanted, measured) > sizeReach * min(wanted, measured)
    {
      return "its records have \(Quantity.grouped(measured)) bytes, which do not tell what records of "
        + "\(Quantity.grouped(wanted)) bytes cost"
    }
    let sizes = basis.saves.flatMap(\.rows).filter { $0.typicalTime != nil }.map(\.cell.records)
    guard candidates.isEmpty, absences.contains(where: \.isOpen), let least = sizes.min(), let most = sizes.max(),
      !(least...most).contains(app.records)
    else { return nil }
    let range = least == most ? "at" : "from \(Quantity.grouped(least)) to"
    return "nothing was measured at \(Quantity.grouped(app.records)) records, only \(range) \(Quantity.grouped(most))"
  }

  /// Returns warnings about a recommendation, and whether more measurements would improve the recommendation.
  static func caveats(
    _ app: AppDescription, _ model: ReportModel, _ candidates: [Candidate], _ absences: [Absence], _ basis: AdviceBasis
  ) -> ([String], Bool) {
    var caveats: [String] = []
    if let wanted = app.recordBytes, let measured = basis.recordBytes, wanted != measured {
      caveats.append(
        "The run's records have \(Quantity.grouped(measured)) bytes, not \(Quantity.grouped(wanted)); all figures are those of the run's."
      )
    }
    if app.readsPerSave > 0, basis.reads.isEmpty {
      caveats.append("Reads were not measured: the answer is that of saving alone.")
    }
    let withoutLaunch = candidates.filter { $0.launch == nil }.map(\.fullName)
    if !withoutLaunch.isEmpty {
      let names = withoutLaunch.count == candidates.count ? "" : " with \(Phrases.list(withoutLaunch))"
      caveats.append("Launches\(names) were not measured at \(Quantity.grouped(app.records)) records.")
    }
    let isIncomplete = !caveats.isEmpty || candidates.isEmpty || absences.contains(where: \.isOpen)
    if let warning = model.warnings.first { caveats.append(warning) }
    return (caveats, isIncomplete)
  }

  /// Returns the arguments of `storage-bench` that measure saves, reads and launches for an app. A backend may have
  /// options: `sqlite:journal=wal`.
  public static func command(_ app: AppDescription, backends: [String]) -> [String] {
    var command = ["run", "-b", backends.joined(separator: ",")]
    command += ["-w", "save-one,read-one,launch-warm:until=screen", "-n", "\(app.records)"]
    if let bytes = app.recordBytes, bytes != 100 { command += ["--record-bytes", "\(bytes)"] }
    let levels: [Durability] = app.durability.map { [$0] } ?? [.shipped, .intact, .durable]
    return command + ["--durability", levels.map(\.rawValue).joined(separator: ",")]
  }
}
