/// The location and the settings of a store.
public struct StoreEnvironment: Sendable {
  /// An existing directory that belongs to the store. The backend must not write anything outside it.
  public var directory: String
  /// The options that were given to the store's backend.
  public var options: Options
  /// The requested durability of saves: what must survive a crash or a power cut. The backend has promised a level for
  /// this durability: ``Promise/level(_:)``.
  public var durability: Durability
  /// The names of the collections, fixed for the lifetime of the store.
  public var collections: [String]
  /// Whether the store may write in the background after a delay. The value is false while a run counts system calls or
  /// a test injects faults, because the store must then make exactly the same calls each time. The store then postpones
  /// such writes until it is settled or closed.
  public var hasTimers: Bool

  /// Describes the location and the settings of a store.
  public init(
    directory: String, options: Options = Options(), durability: Durability = .shipped,
    collections: [String] = ["records"], hasTimers: Bool = true
  ) {
    self.directory = directory
    self.options = options
    self.durability = durability
    self.collections = collections
    self.hasTimers = hasTimers
  }

  /// Returns the path of a file in the store's directory.
  public func path(_ name: String) -> String { "\(directory)/\(name)" }
}
