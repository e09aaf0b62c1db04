/// The fixed look of an engine in every report: its name for readers, and its colour and marker.
public struct Appearance: Sendable, Codable, Equatable {
  /// The name for readers: `SQLite`. Ids are for the command line and for CSV.
  public var name: String
  /// The number of its colour and marker, from 0 to 80. Each number is another pair of one of nine colours and one of
  /// nine shapes; the suite's backends take 0 to 15.
  public var mark: Int

  /// Creates a look.
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
