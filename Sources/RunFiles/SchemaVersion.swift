import StorageContract

/// The version of the files of a run. A reader refuses those that are not in ``readableSchemas``.
///
/// 2: what a program goes by has fields of its own in a trial (`timed_once`, `resumed`), and `summary.csv` a column
/// `states`; until then it stood in the note.
///
/// 3: the value `work-alike` of `fidelity`, which was `lookalike`.
public let schemaVersion = 3

/// The versions that this build reads.
public let readableSchemas = 2...schemaVersion

/// Files of a run that this build does not read.
enum OtherSchema {
  /// The last commit of this repository that reads a version.
  private static let lastReaders = [1: "ecdbaf7"]

  /// The sentence that refuses a file.
  static func error(_ path: String, _ schema: Int) -> UsageError {
    let reader =
      lastReaders[schema].map { "check out commit \($0) of storage-bench, the last that reads it" }
      ?? "read it with the build that wrote it"
    return UsageError(
      "\(path) has schema version \(schema), this build reads \(readableSchemas.lowerBound) to \(schemaVersion); \(reader), or run again"
    )
  }
}
