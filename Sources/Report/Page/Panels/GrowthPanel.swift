import StorageContract

/// How all other workloads grow with the store.
enum GrowthPanel: PanelBuilder {
  static func panel(_ input: PanelInput) -> Panel? {
    let saves = Set(CostSeries.saves(in: input.model.series).map(\.pattern))
    let others = input.model.series.filter { !saves.contains($0.pattern) && $0.rows.count > 1 }
    guard let table = GrowthCharts.lawTable(others) else { return nil }
    var panel = Panel(id: "growth", title: "How the other workloads grow")
    // One picture for each workload and promise.
    let groups = others.grouped { series in
      var key = series.pattern
      key.backend = Spec(id: "")
      return key
    }
    panel.charts = groups.compactMap { GrowthCharts.chart($0.members, .time, input) }
    panel.tables = [table]
    panel.guide = GrowthCharts.guide
    return panel
  }
}
