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

  /// Creates a backend's default appearance. The name is the id. The number of the color and marker shape, from 17 to
  /// 80, is computed from the id.
  public init(id: String) {
    let hash = id.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    self.init(name: id, mark: 17 + Int(hash % 64))
  }
}
