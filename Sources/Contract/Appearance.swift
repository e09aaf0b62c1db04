/// The fixed look of an engine in every report: a name for readers, a color and a marker.
public struct Appearance: Sendable, Codable, Equatable {
  /// The engine's name for readers, such as `SQLite`. Ids are for the command line and for CSV.
  public var name: String
  /// The number of the engine's color and marker, from 0 to 80. Each number is another pair of one of nine colors and
  /// one of nine shapes; the suite's backends take 0 to 15.
  public var mark: Int

  /// Creates the look of an engine from a name and the number of a color and marker.
  public init(name: String, mark: Int) {
    self.name = name
    self.mark = mark
  }

  /// Creates the look of a backend that declares none: its id, and a mark from 16 to 80 that depends on the id only.
  public init(id: String) {
    let hash = id.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    self.init(name: id, mark: 16 + Int(hash % 65))
  }
}
