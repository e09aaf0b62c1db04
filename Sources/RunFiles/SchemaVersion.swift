import Foundation
import StorageContract

/// The version of the format in which this program writes the files of a run, such as `plan.json`.
public let schemaVersion = 3

/// The versions of the format of a run's files that this build reads.
public let readableSchemas = 2...schemaVersion

/// A JSON file of a run, or a line of such a file, with the version of its format.
package protocol RunFile: Decodable {
  var schema: Int { get }
  /// Checks that all numbers are in their valid ranges.
  ///
  /// - Throws: `FieldError` for the first invalid number.
  func checkNumbers() throws
}

extension RunFile {
  /// Decodes a file, or one line of a file, from `data`. Error messages contain `path` and the number `line`.
  ///
  /// - Throws: `UsageError` if the content is damaged or has another schema version.
  package init(_ data: Data, path: String, line: Int? = nil, with decoder: JSONDecoder = JSONDecoder()) throws {
    do {
      self = try decoder.decode(Self.self, from: data)
    } catch {
      // Fields may be missing because the file has another version. An error about the version is more useful.
      if let schema = RunDirectory.schema(of: data, decoder), !readableSchemas.contains(schema) {
        throw otherSchema(path, schema)
      }
      let part = line.map { "line \($0) is not a trial" } ?? "it is not what `run` writes"
      throw UsageError("\(path) is damaged: \(part)\(error.field); restore the file from a copy, or make a new run")
    }
    guard readableSchemas.contains(schema) else { throw otherSchema(path, schema) }
    do {
      try checkNumbers()
    } catch let error as FieldError {
      let location = line.map { "\(path), line \($0)" } ?? path
      throw UsageError("\(location): \(error); restore the file from a copy, or make a new run")
    }
  }
}

private func otherSchema(_ path: String, _ schema: Int) -> UsageError {
  let reader =
    schema == 1
    ? "check out commit ecdbaf7 of storage-bench, the last that reads it" : "read it with the build that wrote it"
  return UsageError(
    "\(path) has schema version \(schema), this build reads \(readableSchemas.lowerBound) to \(schemaVersion); \(reader), or make a new run"
  )
}
