import StorageContract

/// The measurements of a run from which advice is derived.
struct AdviceBasis: Sendable {
  /// The measured costs of small saves by number of records, one series for each engine and setting. Backends that only
  /// show a lower bound of costs, which no real store can reach, are left out.
  let saves: [CostSeries]
  let reads: [CostSeries]
  /// The measured times of an app launch. They come from one workload, the first of the following that the run
  /// contains: `launch-warm:until=screen`, `launch-warm`, `launch-cold:until=screen`, `launch-cold`.
  let launches: [CostSeries]
  /// The payload of one record in the save workload, in bytes; nil if the run has no saves.
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

  /// Returns the launch times of the engine that a cost series is about. Launches with the same settings as the series
  /// are preferred. If none were measured, the launches may have any settings.
  func launches(of save: CostSeries) -> CostSeries? {
    launches.first { $0.isOpened(like: save) }
      ?? launches.first { $0.backend == save.backend && $0.machine == save.machine }
  }

  /// Removes all but one of several series with equal settings. Such series occur if an option repeats the engine's
  /// default. The series with the fewest options is kept.
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
  /// The damage that a power cut may do, and the syncs of one save, as text: `may lose the last save, 4 syncs a save`.
  var stake: String { largestCounted.map(PowerCut.stake) ?? afterPowerCut }

  var settings: String { rows.lazy.map(\.settings).first { !$0.isEmpty } ?? "" }

  /// Returns whether two series used the same engine with the same settings. Settings of syncing are ignored, since
  /// reads and launches do not sync.
  fileprivate func isOpened(like other: CostSeries) -> Bool {
    guard backend.id == other.backend.id, machine == other.machine else { return false }
    let texts = (settings, other.settings)
    return texts.0.isEmpty || texts.1.isEmpty
      ? backend == other.backend : Self.opening(texts.0) == Self.opening(texts.1)
  }

  private static func opening(_ settings: String) -> [Substring] {
    settings.split(separator: " ").filter { setting in
      !(setting.split(separator: "=").first ?? "").contains("sync")
    }
  }
}
