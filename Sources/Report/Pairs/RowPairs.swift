/// The pairs of rows that reports print with their ratio.
public enum RowPairs {
  /// All of them, a line each. To add one, add its line: what is compared, the dearer way, the cheaper way, and where
  /// the profile `pairs` runs it.
  public static let all: [RowPair] = [
    RowPair(
      "a transaction for each of 4 lines against one for all", "*/four-lines:commits=each", "*/four-lines", at: 4),
    RowPair("a transaction for each row against one for all", "*/import:batch=1", "*/import", at: 4),
    RowPair("a country found by reading all against by its key", "*/country-crud", "*/country-crud:lookup=key"),
    RowPair("the connection opened for each operation against kept", "sqlite:connection=per-operation/*", "sqlite/*"),
    RowPair("statements prepared anew against cached", "sqlite:statements=fresh/*", "sqlite/*"),
    RowPair("the file decoded in each operation against resident", "plist:resident=no/*", "plist/*"),
    RowPair("the file decoded in each operation against resident", "archive:resident=no/*", "archive/*", at: 100),
    RowPair(
      "rows decoded by Codable against column by column", "sqlite-queue:decode=codable/*", "sqlite-queue/*",
      workloads: "load-all,read-one"),
    RowPair("a rollback journal against a write-ahead log", "sqlite:journal=delete/*", "sqlite:journal=wal/*"),
  ]
}
