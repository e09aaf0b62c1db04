import Foundation
import StorageContract

/// What a process of the kit is asked to do, in the environment variable `CI_CHILD_REQUEST`.
struct CheckRequest: Codable {
  static let variable = "CI_CHILD_REQUEST"

  /// The mangled name of the backend's class.
  var type: String
  /// The mangled name of the check's type.
  var check: String
  /// Which of the check's steps.
  var step: Int
  var options: String
  var durability: Durability
  /// Where everything of the check lies; see ``CheckPlaces``.
  var directory: String
  /// Seconds that the process may take.
  var limit: Int
}

/// What it answers, as lines on its standard output of which the last one counts.
struct CheckAnswer: Codable {
  /// What was found to be otherwise than promised.
  var violations: [String] = []
  /// Why the check could not be made.
  var unchecked: String?
  /// Whether the process is about to die by a signal, as the check wants it to.
  var isAboutToDie = false
}

/// The directories of a check.
struct CheckPlaces {
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
  /// What one step tells a later one.
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
