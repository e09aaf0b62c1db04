/// The pairs of rows that reports print with their ratio.
public enum RowPairs {
  /// All of them, a line each. To add one, add its line: what is compared, the slower way, the faster way, and
  /// where the profile `pairs` runs it.
  public static let all: [RowPair] = [
    RowPair(
      "a transaction for each of 4 lines against one for all", "*/four-lines:commits=each", "*/four-lines",
      at: .records(4)),
    RowPair("a transaction for each row against one for all", "*/import:batch=1", "*/import", at: .records(4)),
    RowPair("a country found by reading all against by its key", "*/country-crud", "*/country-crud:lookup=key"),
    RowPair(
      "objects added up in the app against sums in the store", "*/aggregate:where=app", "*/aggregate",
      at: .records(1_000), .records(10_000, on: indexed)),
    RowPair(
      "a name found by reading all against by an index", "*/find-name", "*/find-name:index=yes",
      at: .records(1_000, on: indexed), .records(10_000, on: indexed)),
    RowPair(
      "a tenth found by reading all against by an index", "*/find-range:select=10%",
      "*/find-range:select=10%:index=yes",
      at: .records(1_000, on: indexed)),
    RowPair(
      "a screen of a list sorted for it against by an index", "*/page-sorted", "*/page-sorted:index=yes",
      at: .records(1_000, on: indexed)),
    RowPair(
      "a value of 1 MB in its record against in a file beside", "*/value-size:bytes=1M",
      "*/value-size:bytes=1M:place=beside", at: .records(100, on: "plist,sqlite,lmdb")),
    RowPair("the connection opened for each operation against kept", "sqlite:connection=per-operation/*", "sqlite/*"),
    RowPair("statements prepared anew against cached", "sqlite:statements=fresh/*", "sqlite/*"),
    RowPair("the file decoded in each operation against resident", "plist:resident=no/*", "plist/*"),
    RowPair(
      "the file decoded in each operation against resident", "archive:resident=no/*", "archive/*", at: .records(100)),
    RowPair(
      "rows decoded by Codable against column by column", "sqlite-queue:decode=codable/*", "sqlite-queue/*",
      workloads: "load-all,read-one"),
    RowPair("a rollback journal against a write-ahead log", "sqlite:journal=delete/*", "sqlite:journal=wal/*"),
  ]

  /// Those that have indexes of other fields than the key.
  private static let indexed = "sqlite,sqlite-queue,object-graph"
}
