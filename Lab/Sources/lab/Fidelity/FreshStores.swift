import CBaseline
import Foundation
import StorageContract

/// An empty store for each block of an import, as in the workload. The cost of a store that was filled and emptied a
/// hundred times depends on the positions of its free pages, by more than the overhead of the adapter.
///
/// One store is open at a time, and the files of both sides have the same path, so that both find the same heap and
/// the same directory.
final class FreshStores {
  private let backend: any StorageBackend.Type
  private let openInC: (String) -> OpaquePointer?
  private let directory: String
  private(set) var store: (any StorageBackend)?
  private(set) var c: CStore?

  init(_ backend: any StorageBackend.Type, openInC: @escaping (String) -> OpaquePointer?, directory: String) {
    self.backend = backend
    self.openInC = openInC
    self.directory = directory
  }

  /// Removes the store of the previous block and creates one for the side that runs next.
  func prepare(isSwift: Bool) throws {
    try store?.close()
    store = nil
    c = nil
    try? FileManager.default.removeItem(atPath: directory)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    if isSwift {
      store = try backend.init(opening: StoreEnvironment(directory: directory, durability: .crash))
    } else {
      c = try CStore(openInC(directory))
    }
  }
}
