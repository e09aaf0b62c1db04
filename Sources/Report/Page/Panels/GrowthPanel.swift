import StorageContract

/// How all other workloads grow with the store.
enum GrowthPanel: PanelBuilder {
  static func panel(_ page: Page) -> Panel? {
    let saves = Set(CostSeries.saves(in: page.model.series).map(\.pattern))
    let others = page.model.series.filter { !saves.contains($0.pattern) && $0.rows.count > 1 }
    guard let table = GrowthCharts.lawTable(others) else { return nil }
    var panel = Panel(id: "growth", title: "How the other workloads grow")
    // One picture for each workload and promise.
    var order: [Cell] = []
    var groups: [Cell: [CostSeries]] = [:]
    for series in others {
      var key = series.pattern
      key.backend = Spec(id: "")
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(series)
    }
    panel.charts = order.compactMap { GrowthCharts.chart(groups[$0] ?? [], .time, page) }
    panel.tables = [table]
    panel.guide = GrowthCharts.guide
    return panel
  }
}
