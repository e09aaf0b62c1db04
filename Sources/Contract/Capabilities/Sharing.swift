/// The capability to work on a store that another process has open at the same time, as an app and its extension do.
public protocol Sharing {
  /// Opens or creates the store in the environment's directory, which other processes may also have open.
  ///
  /// Use the returned store only on the same thread. A write may run its closure again if another process has changed
  /// data that the closure had read.
  ///
  /// - Throws: ``StoreError``. Calls of the returned store throw ``StoreError/busy(_:)`` if another process holds the
  ///   lock for too long, and ``StoreError/conflict(_:)`` if another process has changed the data.
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare
}

/// The method by which an app uses a store that other processes also have open.
public enum SharingWay: String, Sendable, Codable, CaseIterable {
  /// The method that the engine's documentation requires for a store that several processes have open, such as reading
  /// the store's file again before each change.
  case documented
  /// The method without precautions: an app uses the store as if no other process had the store open.
  case naive
}

/// A store that other processes may also have open.
public struct ProcessShare {
  /// The open store, which other processes may also have open. In this process, only the thread that opened the store
  /// may use it.
  public let store: any SharedStore
  /// Whether the engine itself, without a lock in the app, keeps all acknowledged changes of several processes.
  public let losesNothing: Bool
  /// The number of times that a write to the store has run its closure again, because another process had changed data
  /// that the closure had read.
  public let retries: () -> Int

  /// Describes an open store that other processes may also use.
  ///
  /// - Parameters:
  ///   - losesNothing: Whether the engine itself keeps the acknowledged changes of all processes. If false, an app
  ///     without a lock can lose such changes.
  ///   - retries: A closure that returns the number of repeated attempts to write.
  public init(_ store: any SharedStore, losesNothing: Bool, retries: @escaping () -> Int = { 0 }) {
    self.store = store
    self.losesNothing = losesNothing
    self.retries = retries
  }
}
