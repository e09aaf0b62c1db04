import CBaseline
import Foundation
import StorageContract

/// An empty store for each block of an import, as the workload has it: what a store that was filled and emptied a
/// hundred times costs depends on where its free pages happen to lie, by more than the adapter adds.
///
/// One store is open at a time, and both sides' files lie in the same place, so that both find the same heap and the
/// same directory.
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

  /// Takes the store of the block before away and makes one for the side whose turn it is.
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
