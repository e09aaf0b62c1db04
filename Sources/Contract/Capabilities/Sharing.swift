/// The capability to work on a store that another process has open at the same time, as an app and its extension do.
public protocol Sharing {
  /// Opens or creates a store that other processes may have open, for use on one thread. A write may repeat its
  /// closure.
  ///
  /// - Throws: ``StoreError``. Later calls also throw ``StoreError/busy(_:)`` and ``StoreError/conflict(_:)``.
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare
}

/// The method by which an app uses a store that other processes also have open.
public enum SharingWay: String, Sendable, Codable, CaseIterable {
  /// The method that the engine's documentation requires for several processes, such as reading the file again before a
  /// change.
  case documented
  /// The method without precautions: an app uses the store as if no other process had the store open.
  case naive
}

/// A store that other processes may also have open.
public struct ProcessShare {
  /// The open store, which other processes may also have open. Only the thread that opened the store may use it.
  public let store: any SharedStore
  /// Whether the engine itself, without a lock in the app, keeps all acknowledged changes of several processes.
  public let losesNothing: Bool
  /// The number of times that a write ran its closure again, because another process had changed the data.
  public let retries: () -> Int

  /// Describes an open store that other processes may also use.
  ///
  /// - Parameters:
  ///   - losesNothing: Whether the engine itself, without a lock in the app, keeps all acknowledged changes.
  ///   - retries: A closure that returns the number of repeated attempts to write.
  public init(_ store: any SharedStore, losesNothing: Bool, retries: @escaping () -> Int = { 0 }) {
    self.store = store
    self.losesNothing = losesNothing
    self.retries = retries
  }
}
