import StorageContract

/// A workload that finds records by the beginning of their names, as in search while typing.
struct FindPrefix: Workload {
  static let description = WorkloadDescription(
    id: "find-prefix", question: "What does search while typing cost?",
    operation: """
      find the records whose names begin with a text, as Swift values, by name; the text is the beginning of a record's \
      name that comes nearest to the share
      """,
    options: [FindOptions.select, FindOptions.index], access: .reads, counted: .queries, capability: { _ in .querying },
    obstacle: FindOptions.obstacle)

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession {
    let target = FindOptions.target(options, of: context.source.count)
    return QuerySession(context, options, field: .name, answerSize: target) { operation, model in
      let name = context.source.count == 0 ? "" : context.drawnRecord(operation).name
      let prefix = Self.prefix(of: name, finding: target, in: model)
      return CheckedQuery(
        RecordQuery(.namePrefix(prefix), sortedBy: [.ascending(.name)]),
        phrase: "whose names start with '\(prefix.visible)'", in: model,
        expected: { model.names[model.range(ofPrefix: prefix)].map(\.index) }, hash: { $0.add(prefix) })
    }
  }

  /// Returns the prefix of `name` whose number of matching records is nearest to `target`. If two prefixes are equally
  /// near, returns the longer prefix.
  static func prefix(of name: String, finding target: Int, in model: OrderedRecords) -> String {
    let ends = Array(name.unicodeScalars.indices.dropFirst()) + [name.unicodeScalars.endIndex]
    guard !name.isEmpty else { return name }
    func prefix(_ index: Int) -> String { String(name.unicodeScalars[..<ends[index]]) }
    func found(_ index: Int) -> Int { model.range(ofPrefix: prefix(index)).count }
    // A longer prefix never has more matches, so a binary search works.
    let next = ends.indices.partitioningIndex { found($0) < target }
    guard next < ends.count else { return name }
    let fewer = found(next)
    let last = ends.indices.partitioningIndex { found($0) < fewer } - 1
    guard next > 0, found(next - 1) - target < target - fewer else { return prefix(last) }
    return prefix(next - 1)
  }
}
