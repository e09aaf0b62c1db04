import Foundation

struct ChildDirectories {
  let directory: String

  /// The directory that contains the store and the other directories of a child process. ``ChildDisk`` says whether a
  /// private file system is mounted here.
  var root: String { "\(directory)/root" }
  var store: String { "\(root)/store" }
  var elsewhere: [String] { [home, temporary, current] }
  var home: String { "\(root)/home" }
  var temporary: String { "\(root)/tmp" }
  var current: String { "\(root)/current" }
  /// The path of a file in which one child process leaves data for the next one.
  var notes: String { "\(directory)/notes" }
  var output: String { "\(directory)/output" }
  var errors: String { "\(directory)/errors" }
  /// The path of a copy of the store outside of the private file system.
  var left: String { "\(directory)/left" }

  /// The path of a file that fills the file system of the store; see ``fill(leaving:)``.
  var filler: String { "\(root)/filler" }

  /// Fills the file system of the store with a file of zeros, until only `room` bytes are free.
  func fill(leaving room: Int) throws {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: root)
    let left = (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
    try Data(count: max(0, left - room)).write(to: URL(fileURLWithPath: filler))
  }

  func make() throws {
    for path in [store] + elsewhere {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }
}
