import StorageContract

/// The assignment of data-file columns to record fields, by equal names or by the option `--map FIELD=COLUMN`.
struct ColumnMap {
  /// The record fields that a column of a data file can fill, in the order used by messages.
  static let fields = ["id", "name", "group", "score", "modified", "payload"]

  enum TimeUnit: String, CaseIterable {
    /// Seconds since 1970-01-01 00:00 UTC.
    case unix
    /// Seconds since 2001-01-01 00:00 UTC.
    case apple
    /// Milliseconds since 1970-01-01 00:00 UTC.
    case ms

    /// Converts a time in this unit to seconds since 2001-01-01 00:00 UTC.
    func seconds(_ number: Double) -> Double {
      switch self {
      case .unix: number - 978_307_200
      case .apple: number
      case .ms: number / 1_000 - 978_307_200
      }
    }

    var words: String {
      switch self {
      case .unix: "seconds since 1970"
      case .apple: "seconds since 2001"
      case .ms: "milliseconds since 1970"
      }
    }
  }

  /// The columns that fill record fields: an index from 0 for each field name, such as `["score": 2]`.
  let columns: [String: Int]
  /// The unit of numeric modification times, given as in `--map modified=time:unix`. Nil if the user gives no unit.
  let unit: TimeUnit?

  /// Assigns columns, named in `header`, to record fields.
  ///
  /// - Parameter map: The values of `--map`, such as `name=title`, or `score=` to leave the score empty.
  /// - Throws: ``UsageError`` for an invalid value, or if an unused column resembles a field (`Rating` and `score`).
  init(_ header: [String], map: [String], path: String) throws {
    var (columns, answered, unit) = ([String: Int](), Set<String>(), TimeUnit?.none)
    for value in map {
      let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else {
        throw UsageError("--map '\(value.visible)' has no '='; give it as FIELD=COLUMN, such as name=title")
      }
      var (field, name) = (parts[0], parts[1])
      guard Self.fields.contains(field) else {
        throw UsageError("--map '\(value.visible)': \(Nearest.sentence("field", field.visible, among: Self.fields))")
      }
      guard answered.insert(field).inserted else { throw UsageError("--map \(field) is given twice; give it once") }
      if field == "modified", !header.contains(name),
        let known = TimeUnit.allCases.first(where: { name.hasSuffix(":\($0.rawValue)") })
      {
        unit = known
        name.removeLast(known.rawValue.count + 1)
      }
      guard !name.isEmpty else { continue }
      guard let index = header.firstIndex(where: { $0.hasSameBytes(as: name) }) else {
        throw UsageError(
          "--map '\(value.visible)': \(Nearest.sentence("column", name.visible, of: path, among: header.map(\.visible)))"
        )
      }
      guard !columns.values.contains(index) else {
        throw UsageError("--map gives the column '\(name.visible)' to two fields; give it to one")
      }
      columns[field] = index
    }
    let taken = Set(columns.values)
    for field in Self.fields where !answered.contains(field) {
      if let index = header.firstIndex(of: field), !taken.contains(index) { columns[field] = index }
    }
    (self.columns, self.unit) = (columns, unit)
    try ask(header, answered, path)
  }

  /// Common column names for each record field, such as `title` for `name`, in lower case without separators.
  private static let synonyms: [String: [String]] = [
    "id": ["key", "identifier"], "name": ["title", "label", "filename"], "group": ["category", "section", "folder"],
    "score": ["rating", "points"],
    "modified": ["updated", "updatedat", "modifiedat", "lastmodified", "mtime", "timestamp", "date"],
    "payload": ["data", "body", "content", "blob"],
  ]

  /// Throws ``UsageError`` if an unused column resembles an unassigned field, such as the column `Rating` and the field
  /// `score`. The fields in `answered`, which the option `--map` names, are not checked.
  private func ask(_ header: [String], _ answered: Set<String>, _ path: String) throws {
    var free = header.indices.filter { !columns.values.contains($0) }
    var answers: [String] = []
    for field in Self.fields where columns[field] == nil && !answered.contains(field) {
      let plain = free.map { index in header[index].lowercased().filter { $0.isLetter || $0.isNumber } }
      let names = [field] + (Self.synonyms[field] ?? [])
      guard let found = names.lazy.compactMap({ plain.firstIndex(of: $0) }).first else { continue }
      answers.append("--map '\(field)=\(header[free[found]].visible.replacing("'", with: "'\\''"))'")
      free.remove(at: found)
    }
    guard !answers.isEmpty else { return }
    throw UsageError(
      "\(path), line 1: the names of some columns are close to the name of a field; "
        + "to fill the field, add \(answers.joined(separator: " ")); "
        + "to leave it empty, add --map FIELD=")
  }
}
