import StorageContract

/// The series of a run from which advice is derived.
struct AdviceBasis: Sendable {
  /// The series of one small save, except those without a rank: one for each engine and its settings.
  let saves: [CostSeries]
  let reads: [CostSeries]
  /// The series of a launch to the first screen, warm, or the nearest to it that was measured.
  let launches: [CostSeries]
  /// Payload bytes of the saves' records. Nil if there are no saves.
  let recordBytes: Int?

  /// Selects the series of a run.
  init(_ model: ReportModel) {
    let all = CostSeries.saves(in: model.series)
    saves = Self.once(all.filter { !$0.isFloor })
    recordBytes = all.first?.pattern.recordBytes
    let conditions = all.first?.pattern.conditions
    reads = model.series.filter {
      $0.pattern.workload == Spec(id: "read-one") && $0.durability == nil && $0.pattern.conditions == conditions
    }
    let kinds = ["launch-warm:until=screen", "launch-warm", "launch-cold:until=screen", "launch-cold"]
    let launches = model.series.filter { $0.pattern.recordBytes == all.first?.pattern.recordBytes }
    let kind = kinds.first { kind in launches.contains { "\($0.pattern.workload)" == kind && !$0.timed.isEmpty } }
    self.launches = launches.filter { "\($0.pattern.workload)" == kind }
  }

  /// Returns the reads of a store that is opened with the settings of these saves.
  func reads(of save: CostSeries) -> CostSeries? { reads.first { $0.isOpened(like: save) } }

  /// Returns the launches with these settings, or else with other settings of the engine.
  func launches(of save: CostSeries) -> CostSeries? {
    launches.first { $0.isOpened(like: save) }
      ?? launches.first { $0.backend == save.backend && $0.machine == save.machine }
  }

  /// Removes duplicates: two spellings of the same settings are one candidate, under the shorter name.
  private static func once(_ all: [CostSeries]) -> [CostSeries] {
    func plainest(_ series: CostSeries) -> (Int, Int) {
      (series.backend.options.names.count, series.durability == .shipped ? 0 : 1)
    }
    return all.grouped { series in
      [series.backend.id, series.machine ?? "", series.settings.isEmpty ? series.pattern.name : series.settings]
    }.map { _, members in members.min { plainest($0) < plainest($1) } ?? members[0] }
  }
}

extension CostSeries {
  /// The effect of a power cut and the syncs of a save: `may lose the last save, 4 syncs a save`.
  var stake: String { largestCounted.map(PowerCut.stake) ?? afterPowerCut }

  /// The literal settings of the store. Empty if they are unknown.
  var settings: String { rows.lazy.map(\.settings).first { !$0.isEmpty } ?? "" }

  /// Returns whether the store is opened like that of another series, apart from how saves are synced. Reads and
  /// launches do not sync.
  fileprivate func isOpened(like other: CostSeries) -> Bool {
    guard backend.id == other.backend.id, machine == other.machine else { return false }
    let texts = (settings, other.settings)
    return texts.0.isEmpty || texts.1.isEmpty
      ? backend == other.backend : Self.opening(texts.0) == Self.opening(texts.1)
  }

  /// Returns the settings without those of syncing, such as `synchronous=2`, `directory_fsync=no` and `nosync=yes`.
  private static func opening(_ settings: String) -> [Substring] {
    settings.split(separator: " ").filter { setting in
      !(setting.split(separator: "=").first ?? "").contains("sync")
    }
  }
}
