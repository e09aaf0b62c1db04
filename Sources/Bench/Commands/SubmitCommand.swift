import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

struct SubmitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit", abstract: "Check a run, and add it to the gallery of machines.",
    discussion: """
      The run needs a cell of the backend 'null', which stores nothing, for each workload and number of records, as \
      from 'run -b \(Catalog.defaultList),null'. The counts of the run must agree with --costs for the cells that both \
      have, and its digests (hashes of the stored records) with those of other machines in the gallery, if any.

      Run submit in a checkout of storage-bench, which has costs.csv and results/gallery. The gallery gets a directory \
      named by a hash of the machine's properties, with environment.json and summary.csv, which leave out the \
      computer's name and the path of the stores. A new run on the same machine replaces these files. Commit the \
      directory to publish it.

      Exit codes: 0 the files were written; 1 'null' made writes or syncs, or was as slow as another backend, or a \
      digest differs; 2 a count differs, higher or lower; 3 no count could be judged; 64 the run has no cell of \
      --costs, or lacks one of 'null'.
      """)

  @Argument(help: ArgumentHelp("The directory of the run.", valueName: "dir"), completion: .directory)
  var directory: String = "results/latest"

  @Option(
    help: ArgumentHelp("The file of committed counts.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var costs: String = "costs.csv"

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp("The directory of the gallery.", valueName: "dir"),
    completion: .directory)
  var out: String = "results/gallery"

  func run() throws {
    let entry = GalleryEntry(model: try ReportModel(reading: RunDirectory(path: directory)))
    try entry.checkRun()
    try entry.checkNullRows()
    let comparison = try entry.comparison(with: CostFile.read(costs), path: costs)
    try entry.checkDigests(out)
    let status = GalleryEntry.status(of: comparison)
    guard status == ExitStatus.ok else {
      try ReportOutput(formats: [], directory: URL(fileURLWithPath: ".")).deliver(comparison)
      throw ExitCode(status)
    }
    let owned = try OwnedDirectory.claim("\(out)/\(entry.machine)", flag: OutputDirectory.flag) { path, names in
      Set(names).isSubset(of: GalleryEntry.names)
    }
    defer { withExtendedLifetime(owned) {} }
    try entry.save(in: URL(fileURLWithPath: owned.path))
    StandardOutput.write(
      "\(owned.path): \(Quantity.counted(entry.model.rows.count, "row")); "
        + "\(Quantity.counted(comparison.judgements(.fine).count, "cell")) with the counts of \(costs)\n")
  }
}
