import StorageContract

/// The version of the format of a run's files. A reader rejects versions outside ``readableSchemas``.
///
/// Version 2: the machine-readable properties of a trial have separate fields (`timed_once`, `resumed`), and
/// `summary.csv` has a column `states`. In version 1 they were part of the note.
///
/// Version 3: the value `work-alike` of `fidelity`, which was `lookalike`.
public let schemaVersion = 3

/// The versions of a run's files that this build reads.
public let readableSchemas = 2...schemaVersion

enum OtherSchema {
  /// The last commit of this repository that reads the files of a version, by the version.
  private static let lastReaders = [1: "ecdbaf7"]

  static func error(_ path: String, _ schema: Int) -> UsageError {
    let reader =
      lastReaders[schema].map { "check out commit \($0) of storage-bench, the last that reads it" }
      ?? "read it with the build that wrote it"
    return UsageError(
      "\(path) has schema version \(schema), this build reads \(readableSchemas.lowerBound) to \(schemaVersion); \(reader), or run again"
    )
  }
}
