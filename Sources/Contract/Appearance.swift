/// The name, color and marker shape of a storage engine, the same in every report.
public struct Appearance: Sendable, Codable, Equatable {
  /// The engine's name in reports, such as `SQLite`. The command line and CSV files use the backend's id instead.
  public var name: String
  /// The number of the engine's color and marker shape in reports, from 0 to 80. The backends of this package use 0 to
  /// 16.
  public var mark: Int

  /// Creates the appearance of an engine in reports. `mark`, from 0 to 80, selects the color and marker shape.
  public init(name: String, mark: Int) {
    self.name = name
    self.mark = mark
  }

  /// Creates the default appearance of a backend in reports. The backend's id becomes the name. The number that selects
  /// the color and marker shape, ``mark``, is computed from the id. The number is 17 to 80, because 0 to 16 belong to
  /// the backends of this package.
  public init(id: String) {
    let hash = id.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    self.init(name: id, mark: 17 + Int(hash % 64))
  }
}
