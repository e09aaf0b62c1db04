import Contract
import Foundation
import Report

/// Writes what is derived from a run's trials.
enum RunReport {
  /// Writes the formats, and tells an error of the file system as the suite's own.
  static func write(
    _ model: ReportModel, formats: [any ReportFormat] = ReportFormats.all, to directory: URL? = nil
  ) throws -> [URL] {
    do {
      return try model.write(formats: formats, to: directory)
    } catch let error as ReportWriteError {
      throw ExitStatus.Failure(ExitStatus.ioError, "\(error.description); check the directory and the space left")
    }
  }

  /// Files with a word for what they are, paths below the working directory being shown from there.
  static func named(_ files: [URL]) -> [(name: String, path: String)] {
    let names = ["report.md": "Report", "summary.csv": "Data", "trials.csv": "Trials"]
    let here = FileManager.default.currentDirectoryPath + "/"
    return files.map { file in
      let path = file.path.hasPrefix(here) ? String(file.path.dropFirst(here.count)) : file.path
      return (name: names[file.lastPathComponent] ?? file.lastPathComponent, path: path)
    }
  }
}

/// The directory that a user names for output.
enum OutputDirectory {
  /// Creates it, parents included.
  ///
  /// - Returns: The first directory of the path that was not there before, to be removed should nothing come of it.
  /// - Throws: `UsageError` naming it if it cannot be created or written to.
  @discardableResult
  static func create(_ path: String) throws -> String? {
    var missing: String?
    var parent = URL(fileURLWithPath: path).standardizedFileURL
    while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
      missing = parent.path
      parent.deleteLastPathComponent()
    }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw UsageError("cannot create \(path); give --out a directory that can be written")
    }
    guard access(path, W_OK | X_OK) == 0 else {
      throw UsageError("cannot write to \(path); give --out a directory that can be written")
    }
    return missing
  }

  /// Whether a directory that may not exist yet could be created and written to: nothing is made to find out.
  ///
  /// - Throws: `UsageError` naming it if not.
  static func check(_ path: String, flag: String) throws {
    var parent = URL(fileURLWithPath: path).standardizedFileURL
    var isDirectory: ObjCBool = false
    while !FileManager.default.fileExists(atPath: parent.path, isDirectory: &isDirectory), parent.path != "/" {
      parent.deleteLastPathComponent()
    }
    guard isDirectory.boolValue else {
      throw UsageError("\(parent.path) is not a directory; give \(flag) another path")
    }
    guard access(parent.path, W_OK | X_OK) == 0, !Linux.isReadOnly(parent.path) else {
      throw UsageError("cannot write to \(parent.path); give \(flag) a directory that can be written")
    }
  }
}
