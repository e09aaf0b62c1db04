import Foundation
import StorageContract

/// LevelDB has no pages. Its age shows in the number of sorted files, and in how many of them may contain a key.
extension LevelDBBackend: Inspecting {
  func layout() throws -> StoreLayout {
    let database = try opened()
    var layout = StoreLayout()
    // There are seven levels (`kNumLevels`); the property of an eighth is unknown.
    var files: [Int] = []
    while let text = library.property("leveldb.num-files-at-level\(files.count)", of: database), let count = Int(text) {
      files.append(count)
    }
    guard let first = files.first else { return layout }
    layout.sortedFiles = files.reduce(0, +)
    layout.sortedRuns = first + files.dropFirst().count { $0 > 0 }
    return layout
  }
}
