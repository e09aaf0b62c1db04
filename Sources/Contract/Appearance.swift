/// The fixed look of an engine in every report: a name, a color and a marker (a small shape).
public struct Appearance: Sendable, Codable, Equatable {
  /// The engine's name for readers, such as `SQLite`. The command line and CSV files use the backend's id instead.
  public var name: String
  /// A number from 0 to 80 that selects one of the 81 combinations of nine colors and nine marker shapes. The suite's
  /// own backends use 0 to 16.
  public var mark: Int

  /// Creates an engine's look from a name and `mark`, the number of a color and marker shape.
  public init(name: String, mark: Int) {
    self.name = name
    self.mark = mark
  }

  /// Creates the look (name, color and marker) of a backend that declares none. The name is the backend's id, and
  /// ``mark`` is a number from 17 to 80 that depends on the id only.
  public init(id: String) {
    let hash = id.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    self.init(name: id, mark: 17 + Int(hash % 64))
  }
}
