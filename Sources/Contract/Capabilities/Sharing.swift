/// The capability to work on a store that another process has open, too, as an app and its extension do.
public protocol Sharing {
  /// Opens the store in the environment's directory beside other processes, or creates an empty one if there is none.
  ///
  /// What is opened stays on its thread. ``SharedStore/write(_:)`` may run its block more than once before it returns,
  /// where another process has changed what the block had read.
  ///
  /// - Throws: ``StoreError``: of its blocks also ``StoreError/busy(_:)``, where another process holds the lock for longer
  ///   than is waited for, and ``StoreError/conflict(_:)``.
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare
}

/// How an app goes about a store that it shares.
public enum SharingWay: String, Sendable, Codable, CaseIterable {
  /// As the engine's documentation says; a file that is written whole is read again before each change.
  case documented
  /// As if the process were alone.
  case naive
}

/// A store that is open beside other processes.
public struct ProcessShare {
  /// The store.
  public let store: any SharedStore
  /// Whether no acknowledged change is ever undone by another process's, without a lock of the app's own.
  public let losesNothing: Bool
  /// How many times a block was run again, since another process had changed what it had read.
  public let retries: () -> Int

  /// Describes an open store.
  public init(_ store: any SharedStore, losesNothing: Bool, retries: @escaping () -> Int = { 0 }) {
    self.store = store
    self.losesNothing = losesNothing
    self.retries = retries
  }
}
