import StorageContract

/// A workload that loads four lines of text when an app starts and saves them when the user leaves the app.
struct FourLines: Workload {
  static let commits = OptionSpec("commits", ["one", "each"], help: "one commit for all lines, or one for each line")

  static let description = WorkloadDescription(
    id: "four-lines", question: "What does a small app cost that saves everything on leaving?",
    operation: "open the store, load four lines, save all four edited, close; open it again, load, close",
    options: [commits], access: .writes, counted: .number(20), records: 4, collections: ["lines"])

  let options: Options

  func fixture(of source: any RecordSource) -> Fixture {
    Fixture(RecordList((0..<4).map { Self.line($0, "text\($0 + 1)") }))
  }

  /// Returns a line of text as a record. The record's key is the line number, counted from 0.
  static func line(_ number: Int, _ text: String) -> Record {
    Record(id: Int64(number), name: text, group: "", score: 0, modified: 0, payload: [])
  }

  func session(_ context: SessionContext) -> any WorkloadSession {
    ReopeningSession(context) { operation in
      var random = RandomStream(seed: context.seed, .change, operation)
      let lines = (0..<4).map { number in
        let word = SampleText.names[random.below(SampleText.names.count)]
        return Change.put(Self.line(number, "text\(number + 1) \(word) \(operation + 1)"))
      }
      return options[Self.commits] == "each" ? lines.map { [$0] } : [lines]
    }
  }
}
