import StorageContract

/// The measurements on which a recommendation is based.
struct AdviceBasis: Sendable {
  /// The costs of saving one record: one series for each engine with its settings.
  let saves: [CostSeries]
  let reads: [CostSeries]
  /// The launch times of an app with different storage engines. All times are from one workload.
  let launches: [CostSeries]
  /// The payload size of a record in the measured saves, in bytes. Nil if the run has no saves.
  let recordBytes: Int?

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

  func reads(of save: CostSeries) -> CostSeries? { reads.first { $0.isOpened(like: save) } }

  /// Returns the launch times of the engine whose saves are in `save`, if possible measured with the same settings. Nil
  /// if not measured.
  func launches(of save: CostSeries) -> CostSeries? {
    launches.first { $0.isOpened(like: save) }
      ?? launches.first { $0.backend == save.backend && $0.machine == save.machine }
  }

  /// Removes duplicates. Different options can give an engine equal settings. The series with the fewest options is
  /// kept.
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
  /// A text on the data loss in a power cut, and on the syncs per save: `may lose the last save, 4 syncs a save`.
  var stake: String { largestCounted.map(PowerCut.stake) ?? afterPowerCut }

  var settings: String { rows.lazy.map(\.settings).first { !$0.isEmpty } ?? "" }

  /// Returns whether two series share engine and settings. Sync settings are ignored, because reads and launches do not
  /// sync.
  fileprivate func isOpened(like other: CostSeries) -> Bool {
    guard backend.id == other.backend.id, machine == other.machine else { return false }
    let texts = (settings, other.settings)
    func opening(_ settings: String) -> [Substring] {
      settings.split(separator: " ").filter { !$0.prefix { $0 != "=" }.contains("sync") }
    }
    return texts.0.isEmpty || texts.1.isEmpty ? backend == other.backend : opening(texts.0) == opening(texts.1)
  }
}
