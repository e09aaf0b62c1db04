/// The capability to work on a store that another process has open at the same time, as an app and its extension do.
public protocol Sharing {
  /// Opens the store in the environment's directory alongside other processes, or creates an empty store.
  ///
  /// The returned ``ProcessShare`` stays on the thread that opened it. ``SharedStore/write(_:)`` may run its block
  /// again before it returns, if another process has changed data that the block had read.
  ///
  /// - Throws: ``StoreError``. Reads and writes of the returned store throw ``StoreError/busy(_:)`` if another process
  ///   holds the lock for longer than the engine waits. They throw ``StoreError/conflict(_:)`` if another process has
  ///   changed the data meanwhile.
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare
}

/// The method by which an app uses a store that it shares with other processes.
public enum SharingWay: String, Sendable, Codable, CaseIterable {
  /// The method that the engine's documentation requires. If an engine writes its file as a whole, the file is read
  /// again before each change.
  case documented
  /// The method of an app that works as if no other process used the store.
  case naive
}

/// A store that other processes may also have open.
public struct ProcessShare {
  /// The shared store, which stays on the thread that opened it.
  public let store: any SharedStore
  /// Whether no acknowledged change is lost because of changes by other processes. The app takes no lock; the engine
  /// alone must prevent such losses.
  public let losesNothing: Bool
  /// The number of times that ``SharedStore/write(_:)`` ran a block again, because another process had changed data
  /// that the block had read.
  public let retries: () -> Int

  /// Describes an open store that other processes may also have open.
  public init(_ store: any SharedStore, losesNothing: Bool, retries: @escaping () -> Int = { 0 }) {
    self.store = store
    self.losesNothing = losesNothing
    self.retries = retries
  }
}
