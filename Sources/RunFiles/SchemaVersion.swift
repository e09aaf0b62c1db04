import StorageContract

/// The version of the format of a benchmark run's files. A reader rejects versions outside ``readableSchemas``.
///
/// - Version 2: Trials have more fields, such as `timed_once`, and `summary.csv` has the column `states`. In version 1,
///   these facts are in the note of a trial.
/// - Version 3: `work-alike` replaces an older value of the field `fidelity`.
public let schemaVersion = 3

/// The versions of the format of a benchmark run's files that this build reads.
public let readableSchemas = 2...schemaVersion

enum OtherSchema {
  /// The Git commits of this program's source code that were the last to read files in an old format. The key is the
  /// number of the format version, such as 1, and the value is the hash of the commit.
  private static let lastReaders = [1: "ecdbaf7"]

  static func error(_ path: String, _ schema: Int) -> UsageError {
    let reader =
      lastReaders[schema].map { "check out commit \($0) of storage-bench, the last that reads it" }
      ?? "read it with the build that wrote it"
    return UsageError(
      "\(path) has schema version \(schema), this build reads \(readableSchemas.lowerBound) to \(schemaVersion); \(reader), or make a new run"
    )
  }
}
