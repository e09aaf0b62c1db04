import StorageContract

/// Whether the machine kept its pace while the run went on.
enum DriftPanel: PanelBuilder {
  static func panel(_ input: PanelInput) -> Panel? {
    let drift = input.model.drift
    // Fewer stretches than that are no course of time.
    guard drift.windows.count >= 6, let end = drift.windows.map(\.to).max() else { return nil }
    let bad = drift.badWindows
    let traces = [(false, "processor: trials without syncs", 0), (true, "disk: trials with syncs", 1)].compactMap {
      isSyncing, name, index -> DriftChart.Trace? in
      let points = drift.windows.filter { $0.isSyncing == isSyncing }.map { window in
        DriftChart.Point(
          seconds: (window.from + window.to) / 2, ratio: window.ratio,
          hover:
            "\(Int(window.from)) s to \(Int(window.to)) s: \(NumberFormat.fixed(window.ratio, 2))x the usual time, \(window.trials) trials"
        )
      }
      return points.isEmpty ? nil : .init(name: name, mark: SeriesMark(index: index), points: points)
    }
    let sentence =
      bad.isEmpty
      ? "The machine kept its pace: no stretch of the \(Int(end.rounded())) s was off by more than a quarter."
      : "In \(bad.count) of \(drift.windows.count) stretches of the \(Int(end.rounded())) s trials were off their usual time by more than a quarter; rounds pair what ran side by side, so that ratios suffer less than times."
    var panel = Panel(id: "drift", title: "Drift")
    panel.lead = [RichText(sentence)]
    panel.charts = [
      DriftChart(
        id: "drift", title: "The machine's pace over the run", summary: sentence,
        note: "Time of trials relative to what is usual for their cell, over seconds since the first.",
        traces: traces, windows: bad.map { .init(from: $0.from, to: $0.to) }, bad: Drift.bad)
    ]
    panel.guide = [
      "Each mark is a stretch of the run: how long its trials took, in the middle, against the median of all trials of the same cell. Level: nothing changed. A hump: something else used the machine. A slope: it slowed down."
    ]
    return panel
  }
}
