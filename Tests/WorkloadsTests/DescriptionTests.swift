import StorageContract
import Testing

@testable import StorageWorkloads

/// The statements of workloads about their options, and about backends on which they cannot run.
@Suite struct DescriptionTests {
  private static let finding: [any Workload.Type] = [FindName.self, FindPrefix.self, FindRange.self, PageSorted.self]

  /// A workload with options, a backend, and words of the reason why it cannot run on the backend; nil if it can.
  private static let obstacles: [(any Workload.Type, [String], any StorageBackend.Type, String?)] =
    [
      (FindText.self, ["index=yes"], ModelStore.self, "index=no"), (FindText.self, [], ModelStore.self, nil),
      (SaveOne.self, ["indexes=1"], ModelStore.self, "indexes=0"), (SaveOne.self, [], ModelStore.self, nil),
      (SaveOne.self, ["indexes=1"], QueryingStore.self, nil),
      (Mix.self, ["read=50", "scan=50", "indexes=3"], ModelStore.self, "indexes=0"),
      (Mix.self, ["read=50", "scan=50", "indexes=3"], QueryingStore.self, nil),
      (Migrate.self, ["change=index"], ModelStore.self, "no indexes"),
      (Migrate.self, ["change=rebuild"], ModelStore.self, "change=drop"),
      (ValueSize.self, ["do=read", "together=10"], ModelStore.self, nil),
      (ValueSize.self, ["do=save"], ModelStore.self, nil),
      (ValueSize.self, ["do=save", "together=10"], ModelStore.self, "only values in records"),
      (ValueSize.self, ["do=read", "place=beside", "together=10"], ModelStore.self, "only values in records"),
      (ValueSize.self, ["do=read", "bytes=1M", "together=100"], ModelStore.self, nil),
      (ValueSize.self, ["do=read", "bytes=1M", "together=1000"], ModelStore.self, "more than 256 MB"),
      (LoadAll.self, ["as=faults"], Lazy.self, nil), (LoadAll.self, ["as=faults"], ModelStore.self, "it returns"),
      (LoadAll.self, [], ModelStore.self, nil),
      (LiveList.self, ["from=other"], TwoConnections.self, nil),
      (LiveList.self, ["from=other"], ModelStore.self, "it has no second"),
      (Backup.self, ["way=compact"], ModelStore.self, "no call that copies it without free pages"),
      (Backup.self, ["beside=saves"], ModelStore.self, "no copy in steps"),
      (Backup.self, ["way=compact"], Torn.self, nil), (Backup.self, ["beside=saves"], Torn.self, nil),
      (Backup.self, ["way=files"], ModelStore.self, nil),
    ] + ["add", "rename", "drop", "split"].map { (Migrate.self, ["change=\($0)"], ModelStore.self, nil) }
    + finding.flatMap { type -> [(any Workload.Type, [String], any StorageBackend.Type, String?)] in
      [
        (type, ["index=yes"], ModelStore.self, "index=no"), (type, [], ModelStore.self, nil),
        (type, ["index=yes"], QueryingStore.self, nil),
      ]
    }

  @Test func obstaclesAreNamed() throws {
    for (type, options, backend, words) in Self.obstacles {
      let found = type.description.obstacle(try type.parsed(options), PlannedStore(backend))
      #expect(words.map { found?.contains($0) == true } ?? (found == nil), "\(type) \(options): \(found ?? "none")")
    }
  }

  @Test func capabilitiesFollowTheOptions() throws {
    let cases: [(any Workload.Type, [String], Capability?)] =
      [
        (FindText.self, [], .textSearching), (AggregateScores.self, [], .querying),
        (AggregateScores.self, ["where=app"], nil), (Migrate.self, ["change=index"], .querying),
        (Refresh.self, [], nil), (Refresh.self, ["by=batch"], .bulk), (Refresh.self, ["way=replace"], .querying),
        (LiveList.self, ["observers=0"], nil), (LiveList.self, ["observers=10"], .observing),
      ] + Self.finding.map { ($0, ["index=yes"], .querying) }
    for (type, options, capability) in cases {
      #expect(try type.description.capability(type.parsed(options)) == capability, "\(type) \(options)")
    }
  }

  @Test func onlyReadsPromiseNothing() throws {
    let cases: [(any Workload.Type, [String], WorkloadDescription.Access)] = [
      (FindText.self, [], .reads), (ValueSize.self, ["do=read"], .reads), (ValueSize.self, [], .writes),
      (Mix.self, ["ycsb=c"], .reads), (Mix.self, ["read=40", "scan=60"], .reads), (Mix.self, ["ycsb=a"], .writes),
      (Mix.self, ["read=99", "rmw=1"], .writes), (Mix.self, [], .writes),
    ]
    for (type, options, access) in cases {
      #expect(try type.description.access(type.parsed(options)) == access, "\(type) \(options)")
    }
  }

  @Test func optionsThatExcludeEachOtherAreRefused() throws {
    let cases: [(any Workload.Type, [String])] = [
      (Refresh.self, ["way=find", "by=batch"]), (Backup.self, ["way=files", "beside=saves"]),
      (Mix.self, ["ycsb=a", "indexes=1"]),
    ]
    for (type, options) in cases {
      #expect(throws: UsageError.self, "\(type)") { try type.description.check(type.parsed(options)) }
    }
  }
}
