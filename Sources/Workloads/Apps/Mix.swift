import StorageContract

/// A workload with a configurable mix of reads, scans, updates, insertions and deletions, such as YCSB's workloads A to
/// F.
public struct Mix: Workload {
  static let ycsb = OptionSpec(
    "ycsb", ["no"] + MixSettings.ycsb.map(\.name),
    help: "a workload of YCSB as published, which sets the other options")
  /// The options for the shares of the operations, in the order of ``MixOperation/Kind``.
  static let shares = zip(
    MixOperation.Kind.allCases,
    [
      "read a record", "change a field of one", "add one", "read several in key order",
      "read a record, and store it changed", "remove one; at most as many as are added",
    ]
  ).map { OptionSpec($0.rawValue, .percentage(0), help: "per cent of operations that \($1)") }
  static let distribution = OptionSpec(
    "dist", ItemDistribution.allCases.map(\.rawValue), help: "distribution of the keys, as YCSB defines it")
  static let keys = OptionSpec(
    "keys", ["ordered", "hashed"], help: "keys in ascending order, or scattered by YCSB's hash")
  static let longestScan = OptionSpec(
    "scan-length", .number(100), most: 100_000_000,
    help: "records of the longest scan; all lengths from 1 are equally likely")

  public static let description = WorkloadDescription(
    id: "mix", question: "What does my app's mix of reads and writes cost?",
    operation:
      "read, change, add or scan records in shares that add up to 100 (without any: half reads, half updates)",
    options: [ycsb] + shares + [distribution, keys, longestScan, SecondaryIndexes.option], access: .writes,
    accessWith: { MixSettings($0).isReading ? .reads : .writes }, counted: .saves, check: Self.check,
    obstacle: { options, store in
      let lack = MixSettings(options).shares[.scan] == nil ? nil : store.lackOfKeyOrder
      return lack ?? SecondaryIndexes.obstacle(options, store)
    })

  let settings: MixSettings
  private let indexes: [RecordField]

  public init(options: Options) {
    settings = MixSettings(options)
    indexes = SecondaryIndexes.fields(options)
  }

  public func fixture(of source: any RecordSource) -> Fixture {
    Fixture(settings.isHashed ? HashedRecords(source) : source)
  }

  public var fixtureName: String { settings.isHashed ? "hashed-records" : "records" }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    MixSession(context, MixStream(settings, seed: context.seed, items: context.source.count), indexes: indexes)
  }

  /// Throws ``UsageError`` if the percentages do not add up to 100, if deletions exceed insertions, or if a YCSB
  /// workload such as `ycsb=a` is combined with another option.
  private static func check(_ options: Options) throws {
    let others = options.names.filter { $0 != ycsb.name }
    if options[ycsb] != "no", let other = others.first {
      throw UsageError(
        "option \(other) of workload mix cannot be combined with ycsb=\(options[ycsb]), which sets it; leave out one")
    }
    let given = shares.filter { others.contains($0.name) }
    let sum = given.reduce(0) { $0 + (Double(options[$1]) ?? 0) }
    guard given.isEmpty || abs(sum - 100) < 1e-6 else {
      let list = given.map { "\($0.name)=\(options[$0])" }.joined(separator: ", ")
      throw UsageError("the shares of workload mix (\(list)) add up to \(MixSettings.text(sum)); make them 100")
    }
    let settings = MixSettings(options)
    guard settings.shares[.delete] ?? 0 <= settings.shares[.insert] ?? 0 else {
      throw UsageError(
        "workload mix would delete more than it inserts and so empty the store; give insert= at least the value of delete="
      )
    }
  }
}

/// The settings of the workload `mix`, such as the percentage of each kind of operation.
struct MixSettings: Sendable, Equatable {
  /// The percentage of each kind of operation, such as 95 for reads and 5 for updates. The percentages add up to 100.
  var shares: [MixOperation.Kind: Double]
  var distribution: ItemDistribution = .zipfian
  /// Whether each key is a hash of the record's number. If false, keys ascend in the order of insertion.
  var isHashed = false
  var longestScan = 100

  /// The six core workloads of YCSB. Keys are hashes, as in YCSB by default. Source: the files workloads/workloada to
  /// workloadf of github.com/brianfrankcooper/YCSB.
  static let ycsb: [(name: String, settings: MixSettings)] = [
    ("a", MixSettings(shares: [.read: 50, .update: 50], isHashed: true)),
    ("b", MixSettings(shares: [.read: 95, .update: 5], isHashed: true)),
    ("c", MixSettings(shares: [.read: 100], isHashed: true)),
    ("d", MixSettings(shares: [.read: 95, .insert: 5], distribution: .latest, isHashed: true)),
    ("e", MixSettings(shares: [.scan: 95, .insert: 5], isHashed: true, longestScan: 100)),
    ("f", MixSettings(shares: [.read: 50, .readModifyWrite: 50], isHashed: true)),
  ]
}

extension MixSettings {
  init(_ options: Options) {
    if let published = Self.ycsb.first(where: { $0.name == options[Mix.ycsb] }) {
      self = published.settings
      return
    }
    let given = zip(MixOperation.Kind.allCases, Mix.shares).map { ($0, Double(options[$1]) ?? 0) }
    self.init(
      shares: Dictionary(uniqueKeysWithValues: given).filter { $0.value > 0 },
      distribution: ItemDistribution(rawValue: options[Mix.distribution]) ?? .zipfian,
      isHashed: options[Mix.keys] == "hashed", longestScan: Int(options[Mix.longestScan]) ?? 100)
    // By default half of the operations are reads, as in YCSB's workload A.
    if shares.isEmpty { shares = [.read: 50, .update: 50] }
  }

  var isReading: Bool { shares.keys.allSatisfy { $0 == .read || $0 == .scan } }

  /// Returns a percentage as text, rounded to six decimals, such as `5` or `2.5`.
  static func text(_ share: Double) -> String {
    share == share.rounded() ? String(Int(share)) : String((share * 1e6).rounded() / 1e6)
  }
}
