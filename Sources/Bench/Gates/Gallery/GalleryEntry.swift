import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

/// A benchmark run for the gallery, a directory with the results of several machines.
struct GalleryEntry {
  let model: ReportModel

  static let names = ["environment.json", "summary.csv"]

  /// Checks that the run is complete, was measured by a release build, and did not use a user's own data set.
  ///
  /// - Throws: `UsageError` that names the defect and what to do.
  func checkRun() throws {
    let path = model.directory.url.path
    func refuse(_ defect: String) -> UsageError { UsageError("\(path) \(defect)") }
    guard model.environment.build["mode"] == "release" else {
      throw refuse("was measured by a debug build; build with -c release, and make a new run")
    }
    guard model.plan.datasetHash == nil else {
      throw refuse("was measured with a data set of your own; run again without --dataset")
    }
    if let row = model.rows.first(where: { $0.status == .failed }) {
      throw refuse("has a failed row, \(row.cell.name) (\(row.note)); make a new run")
    }
    if let row = model.rows.first(where: { $0.status == .skipped || $0.status == .ok && $0.typicalTime == nil }) {
      throw refuse("has no time of \(row.cell.name); finish it with 'run --resume \(path)'")
    }
  }

  /// Checks that the backend `null`, which stores nothing, makes no writes or syncs and is faster than other backends.
  ///
  /// - Throws: `UsageError` if a measurement of `null` is missing; ``ExitStatus/Failure`` for an implausible one.
  func checkNullRows() throws {
    let nulls = model.rows.filter { $0.cell.backend.id == "null" }
    let floors = Dictionary(grouping: nulls) { null($0.cell) }.compactMapValues(\.first)
    for row in model.rows where row.status == .ok && !row.isFloor {
      guard let floor = floors[null(row.cell)] else {
        throw UsageError(
          "\(model.directory.url.path) has no row of the backend null for \(row.cell.workload) with "
            + "\(row.cell.records) records, and only that row shows what storage-bench itself costs; "
            + "run again with '-b \(Catalog.defaultList),null'")
      }
      // Workloads that launch or load a store cannot be run with a backend that keeps nothing.
      guard floor.status == .ok else { continue }
      if let cost = floor.cost, cost.bytesWritten ?? 0 > 0 || cost.syncs ?? 0 > 0 {
        throw ExitStatus.Failure(
          ExitStatus.failed, "\(floor.cell.name) writes or syncs, although null does nothing; run 'doctor'")
      }
      if let least = floor.typicalTime, let time = row.typicalTime, least >= time {
        throw ExitStatus.Failure(
          ExitStatus.failed,
          "\(floor.cell.name) takes as long as \(row.cell.name), although null does nothing; run again on a quiet machine"
        )
      }
    }
  }

  /// Compares the run's numbers of writes, syncs and allocations with the expected numbers in a `costs.csv`.
  ///
  /// - Throws: `UsageError` if the run and the file have no benchmark in common.
  func comparison(with file: CostFile, path: String) throws -> Comparison {
    var file = file
    let rows = Dictionary(model.rows.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    file.lines = file.lines.filter { line in
      rows[line.cell].map { $0.status == .ok && $0.cost?.countedOperations == line.operations } ?? false
    }
    guard !file.lines.isEmpty else {
      throw UsageError(
        "no cell of \(model.directory.url.path) has counts to compare with those in \(path); "
          + "make a new run with 'run -b \(Catalog.defaultList),null'")
    }
    var comparison = try CostCheck(file: file, path: path, tolerances: Tolerances()).comparison(model)
    comparison.notes = []
    return comparison
  }

  /// Returns the exit code of `submit`: 0 only if numbers such as writes were compared and all agree with `costs.csv`.
  static func status(of comparison: Comparison) -> Int32 {
    let differing = comparison.judgements(.regression) + comparison.judgements(.improvement)
    if !comparison.judgements(.failure).isEmpty { return ExitStatus.failed }
    if !differing.isEmpty { return ExitStatus.regression }
    return comparison.judgements(.fine).isEmpty ? ExitStatus.unjudged : ExitStatus.ok
  }

  /// Checks that equal operations left equal data in this run and on the other machines of the gallery.
  ///
  /// - Parameter gallery: The path of the gallery, which has one directory for each machine.
  /// - Throws: ``ExitStatus/Failure`` if the data differ; `UsageError` for an unreadable file of the gallery.
  func checkDigests(_ gallery: String) throws {
    var known: [String: (digest: String, name: String)] = [:]
    let machines = (try? FileManager.default.contentsOfDirectory(atPath: gallery).sorted()) ?? []
    for machine in machines where machine != self.machine {
      let path = "\(gallery)/\(machine)/\(Self.names[1])"
      guard FileManager.default.fileExists(atPath: path) else { continue }
      guard let text = try? String(contentsOfFile: path, encoding: .utf8),
        let lines = try? DelimitedText.rows(text, file: path), let columns = lines.first?.fields,
        let stream = columns.firstIndex(of: "stream_hash"), let digest = columns.firstIndex(of: "digest")
      else {
        throw UsageError(
          "\(path) is not a summary of a run; "
            + "restore it from git, or else remove the directory \(machine) from the gallery")
      }
      for line in lines.dropFirst() where line.fields.count == columns.count && !line.fields[digest].isEmpty {
        known[line.fields[stream]] = (line.fields[digest], "the gallery's \(path), line \(line.line)")
      }
    }
    for row in model.rows {
      guard let digest = row.cost?.digest, !row.streamHash.isEmpty else { continue }
      let name = row.cell.name
      if let other = known[row.streamHash], other.digest != digest {
        throw ExitStatus.Failure(
          ExitStatus.failed,
          "\(name) left different data (digest \(digest)) from \(other.name) (\(other.digest)) "
            + "after the same operations; make this run again, and report it if the difference stays")
      }
      known[row.streamHash] = (digest, "\(name) of this run")
    }
  }

  /// The name of the machine's directory in the gallery: a hash of the machine's properties.
  var machine: String { model.environment.machine }

  /// Writes `environment.json` and `summary.csv` into the gallery, without the host name and the path of the stores.
  ///
  /// - Throws: `FileWriteError` that names the file.
  func save(in directory: URL) throws {
    var environment = model.environment
    environment.system["host"] = nil
    environment.storage["scratch"] = nil
    let texts = [try JSONEncoder.pretty.text(environment) + "\n", SummaryCSV.text(model.rows)]
    for (name, text) in zip(Self.names, texts) {
      try AtomicFile.write(text, to: directory.appendingPathComponent(name)) { _ in true }
    }
  }

  private func null(_ cell: Cell) -> Cell { cell.with { ($0.backend, $0.durability) = (Spec(id: "null"), nil) } }
}
