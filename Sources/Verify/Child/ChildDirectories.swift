import Foundation

struct ChildDirectories {
  let directory: String

  /// The directory that may be mounted as a separate file system.
  var root: String { "\(directory)/root" }
  var store: String { "\(root)/store" }
  /// The directories that must stay empty: home, temporary and current directory.
  var elsewhere: [String] { [home, temporary, current] }
  var home: String { "\(root)/home" }
  var temporary: String { "\(root)/tmp" }
  var current: String { "\(root)/current" }
  /// The file in which one process leaves data for a later one.
  var notes: String { "\(directory)/notes" }
  /// The file that receives standard output.
  var output: String { "\(directory)/output" }
  var errors: String { "\(directory)/errors" }

  /// Creates the missing directories.
  func make() throws {
    for path in [store] + elsewhere {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }
}
