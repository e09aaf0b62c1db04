import Foundation

/// The directories that a process works in.
struct ChildPlaces {
  let directory: String

  /// What may be a file system of its own.
  var root: String { "\(directory)/root" }
  /// The store's directory.
  var store: String { "\(root)/store" }
  /// Where nothing must ever appear: the home directory, that for temporary files, and the current one.
  var elsewhere: [String] { [home, temporary, current] }
  var home: String { "\(root)/home" }
  var temporary: String { "\(root)/tmp" }
  var current: String { "\(root)/current" }
  /// What one process tells a later one.
  var notes: String { "\(directory)/notes" }
  /// What the process prints.
  var output: String { "\(directory)/output" }
  var errors: String { "\(directory)/errors" }

  /// Makes what is missing.
  func make() throws {
    for path in [store] + elsewhere {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }
}
