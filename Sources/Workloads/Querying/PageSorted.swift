import StorageContract

/// A workload that reads one screen of a sorted list: 20 records.
struct PageSorted: Workload {
  /// The number of rows on a screen, the same as in ``LaunchGoal/screen``.
  private static let rows = 20

  static let by = OptionSpec(
    "by", ["offset", "keyset"], help: "skip the records of the screens before, or begin after the last of their records"
  )

  static let description = WorkloadDescription(
    id: "page-sorted", question: "What does a screen of a sorted list cost?",
    operation: "find the 20 records of one screen of the list sorted by name as Swift values; screens uniform",
    options: [FindOptions.index, by], access: .reads, counted: .queries, capability: { _ in .querying },
    obstacle: FindOptions.obstacle, words: { _ in WorkloadWords("a screen of a sorted list", .read, limit: .frame) })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession {
    let (count, isKeyset) = (context.source.count, options[Self.by] == "keyset")
    return QuerySession(context, options, field: .name, answerSize: Self.rows) { operation, model in
      let page = context.drawn(operation, below: max(1, (count + Self.rows - 1) / Self.rows))
      let first = page * Self.rows
      var query = RecordQuery(sortedBy: [.ascending(.name)], limit: Self.rows)
      if isKeyset, page > 0 {
        let last = model.names[first - 1]
        query.predicate = .after(name: last.text.text, key: context.source.key(at: last.index))
      } else {
        query.offset = first
      }
      return CheckedQuery(
        query, phrase: "of screen \(page + 1)", in: model,
        expected: { model.names.dropFirst(first).prefix(Self.rows).map(\.index) },
        hash: { $0.add(UInt64(page)) })
    }
  }
}
