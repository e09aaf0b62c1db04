/// The location and the settings with which a backend opens a store.
public struct StoreEnvironment: Sendable {
  /// An existing directory for the files of the store. The backend must not write anything outside this directory.
  public var directory: String
  /// The options of the backend that opens the store.
  public var options: Options
  /// The durability that a user requests for saves. The backend has promised to fulfill this request.
  public var durability: Durability
  /// The names of the store's collections, which stay the same for the lifetime of the store.
  public var collections: [String]
  /// Whether the store may write in the background. If false, such writes wait for ``StorageBackend/settle()`` or
  /// ``StorageBackend/close()``.
  public var hasTimers: Bool

  /// Describes the location and the settings with which a backend opens a store.
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
