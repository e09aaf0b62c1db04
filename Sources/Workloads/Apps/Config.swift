import StorageContract

/// A workload that loads and saves one small configuration object as a whole.
struct Config: Workload {
  static let description = WorkloadDescription(
    id: "config", question: "What does keeping one small object cost?",
    operation: "open the store, load one object, save it changed, close; open it again, load, close",
    access: .writes, counted: .number(20), records: 1, collections: ["config"])

  init(options: Options) {}

  func fixture(of source: any RecordSource) -> Fixture {
    Fixture(RecordList([Self.object(value: "1", version: 0)]))
  }

  /// Returns the only record of this workload: the configuration of an app, with three lines of text as payload.
  private static func object(value: String, version: Int) -> Record {
    let texts = ["paramValue=\(value)", "version=1.\(version)", "delFlag=0"]
    return Record(
      id: 1, name: "refreshInterval", group: "sync", score: 0, modified: 0,
      payload: Array(texts.joined(separator: "\n").utf8))
  }

  func session(_ context: SessionContext) -> any WorkloadSession {
    ReopeningSession(context) { operation in
      var random = RandomStream(seed: context.seed, .change, operation)
      return [[.put(Self.object(value: String(random.below(100_000)), version: operation + 1))]]
    }
  }
}
