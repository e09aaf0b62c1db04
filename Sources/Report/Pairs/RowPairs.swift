/// The pairs of rows that reports print with their ratio.
public enum RowPairs {
  /// All of them, a line each. To add one, add its line: what is compared, the dearer way, the cheaper way, and where
  /// the profile `pairs` runs it.
  public static let all: [RowPair] = [
    RowPair(
      "a transaction for each of 4 lines against one for all", "*/four-lines:commits=each", "*/four-lines", at: 4),
    RowPair("a transaction for each row against one for all", "*/import:batch=1", "*/import", at: 4),
    RowPair("a country found by reading all against by its key", "*/country-crud", "*/country-crud:lookup=key"),
    RowPair("objects added up in the app against sums in the store", "*/aggregate:where=app", "*/aggregate"),
    RowPair("a name found by reading all against by an index", "*/find-name", "*/find-name:index=yes", on: indexed),
    RowPair(
      "a tenth found by reading all against by an index", "*/find-range:select=10%",
      "*/find-range:select=10%:index=yes",
      on: indexed),
    RowPair(
      "a screen of a list sorted for it against by an index", "*/page-sorted", "*/page-sorted:index=yes", on: indexed),
    RowPair(
      "a value of 1 MB in its record against in a file beside", "*/value-size:bytes=1M",
      "*/value-size:bytes=1M:place=beside", on: "plist,sqlite,lmdb", at: 100),
    RowPair("the connection opened for each operation against kept", "sqlite:connection=per-operation/*", "sqlite/*"),
    RowPair("statements prepared anew against cached", "sqlite:statements=fresh/*", "sqlite/*"),
    RowPair("the file decoded in each operation against resident", "plist:resident=no/*", "plist/*"),
    RowPair("the file decoded in each operation against resident", "archive:resident=no/*", "archive/*", at: 100),
    RowPair(
      "rows decoded by Codable against column by column", "sqlite-queue:decode=codable/*", "sqlite-queue/*",
      workloads: "load-all,read-one"),
    RowPair(
      "sums over objects in the app against sums in the store", "*/aggregate:where=app", "*/aggregate",
      on: "sqlite,sqlite-queue,object-graph", at: 10_000),
    RowPair(
      "a name found by looking at every record against by an index", "*/find-name", "*/find-name:index=yes",
      on: "sqlite,sqlite-queue,object-graph", at: 10_000),
    RowPair(
      "a value of 1 MB in its record against in a file beside", "*/value-size:bytes=1M",
      "*/value-size:bytes=1M:place=beside", on: "sqlite", at: 100),
    RowPair("a rollback journal against a write-ahead log", "sqlite:journal=delete/*", "sqlite:journal=wal/*"),
  ]

  /// Those that have indexes of other fields than the key.
  private static let indexed = "sqlite,sqlite-queue,object-graph"
}
