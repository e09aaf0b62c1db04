/// The capability to work on a store that another process has open at the same time, as an app and its extension do.
public protocol Sharing {
  /// Opens or creates a store that other processes may also have open. After a conflict with another process,
  /// ``SharedStore/write(_:)`` may run its closure again.
  ///
  /// - Throws: ``StoreError``. Later calls of the opened store may also throw ``StoreError/busy(_:)`` and
  ///   ``StoreError/conflict(_:)``.
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare
}

/// The method by which an app uses a store that other processes also have open.
public enum SharingWay: String, Sendable, Codable, CaseIterable {
  /// The use of a shared store as the engine's documentation requires, such as reading the file again before a change.
  case documented
  /// The use of a shared store without precautions, as if no other process had the store open.
  case naive
}

/// A store that other processes may also have open.
public struct ProcessShare {
  /// The open store, which other processes may also have open. Only the thread that opened the store may use it.
  public let store: any SharedStore
  /// Whether the engine itself prevents processes from overwriting each other's acknowledged changes.
  public let losesNothing: Bool
  /// A closure that returns the number of repeated attempts to write, made after conflicts with other processes.
  public let retries: () -> Int

  /// Describes an open store that other processes may also use.
  ///
  /// - Parameters:
  ///   - losesNothing: Whether the engine prevents processes from overwriting each other's acknowledged changes.
  ///   - retries: A closure that returns the number of repeated attempts to write.
  public init(_ store: any SharedStore, losesNothing: Bool, retries: @escaping () -> Int = { 0 }) {
    self.store = store
    self.losesNothing = losesNothing
    self.retries = retries
  }
}
