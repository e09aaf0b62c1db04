import StorageContract

/// The version of the format of a run's files. A reader rejects versions outside ``readableSchemas``.
///
/// Version 2: a trial has separate fields such as `timed_once` and `resumed`, and `summary.csv` has a column `states`.
/// In version 1, the note of a trial contains these facts.
///
/// Version 3: the field `fidelity` has the value `work-alike`, which was `lookalike`.
public let schemaVersion = 3

/// The versions of a run's files that this build reads.
public let readableSchemas = 2...schemaVersion

enum OtherSchema {
  /// The commits with which files of rejected schema versions can still be read. For each version, it is the last
  /// commit of this repository that reads the version.
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
