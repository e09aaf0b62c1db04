import Foundation

/// The total size of a store's files.
enum DirectorySize {
  /// Returns the total length of all files below a directory; 0 if there is none.
  static func bytes(_ directory: String) -> Int {
    let manager = FileManager.default
    return (manager.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []).reduce(0) { sum, name in
      let size = try? manager.attributesOfItem(atPath: "\(directory)/\(name)")[.size] as? NSNumber
      return sum + (size?.intValue ?? 0)
    }
  }
}
