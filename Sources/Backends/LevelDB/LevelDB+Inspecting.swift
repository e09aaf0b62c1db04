import Foundation
import StorageContract

/// LevelDB has no pages: what age does to it shows in how many sorted files there are, and how many a key may be in.
extension LevelDBBackend: Inspecting {
  func layout() throws -> StoreLayout {
    let database = try opened()
    var layout = StoreLayout()
    // Seven levels (`kNumLevels`): a further one is not known.
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
