import StorageContract

/// The report section on changes of the machine's speed during the benchmark run.
enum DriftSection {
  static func section(_ model: ReportModel) -> Section? {
    let drift = model.drift
    // Fewer than six periods do not show a trend of the machine's speed.
    guard drift.windows.count >= 6, let end = drift.windows.map(\.to).max() else { return nil }
    let bad = drift.badWindows
    let traces = [(false, "processor: trials without syncs", 0), (true, "disk: trials with syncs", 1)].map {
      isSyncing, name, index -> DriftChart.Trace in
      (name, SeriesMark(index: index), drift.windows.filter { $0.isSyncing == isSyncing })
    }.filter { !$0.windows.isEmpty }
    let sentence =
      bad.isEmpty
      ? "The machine kept its pace: no stretch of the \(Quantity.whole(end)) s was off by more than a quarter."
      : "In \(bad.count) of \(drift.windows.count) stretches of the \(Quantity.whole(end)) s trials were off their usual time by more than a quarter; rounds pair what ran side by side, so that ratios suffer less than times."
    var section = Section(id: "drift", title: "Drift")
    section.lead = [RichText(sentence)]
    section.charts = [DriftChart(summary: sentence, traces: traces, windows: bad)]
    let columns: [ItemColumn<Drift.Window>] = [
      .words("from the start", \.time),
      .words("trials") { $0.isSyncing ? "with syncs (disk)" : "without syncs (processor)" },
      .number("their number") { Quantity.grouped($0.trials) }, .number("of the usual time", \.factor),
    ]
    section.tables = [
      Table("Stretches off pace", of: bad, columns, isFolded: bad.count > Table.long),
      Table(
        bad.isEmpty ? "All stretches" : "The other stretches", of: drift.windows.filter { !bad.contains($0) }, columns,
        isFolded: true),
    ].filter { !$0.rows.isEmpty }
    section.guide = [
      "Each mark is a stretch of the run: how long its trials took, in the middle, against the median of all trials of the same cell. Level: nothing changed. A hump: something else used the machine. A slope: it slowed down."
    ]
    return section
  }
}

/// A chart of the machine's speed during a benchmark run. Periods of unusual speed have a gray background.
struct DriftChart: Chart {
  typealias Trace = (name: String, mark: SeriesMark, windows: [Drift.Window])

  let id = "drift"
  let title = "The machine's pace over the run"
  var summary: String
  var traces: [Trace]
  /// The periods of the run in which the machine was unusually slow or fast.
  var windows: [Drift.Window]

  func draw(on canvas: inout Canvas) {
    canvas.note("Time of trials relative to what is usual for their cell, over seconds since the first.")
    let left = 48.0
    let right = canvas.width - 12
    let top = canvas.height + 6
    let bottom = top + 130
    let all = traces.flatMap(\.windows)
    let time = LinearScale(most: max(all.map(\.middle).max() ?? 0, 1), pixels: (left, right))
    let bad = Drift.bad
    guard let y = LogScale(all.map(\.ratio) + [1 / bad, bad], pixels: (bottom, top)) else { return }
    for window in windows {
      canvas.rect(
        x: time(window.from), y: top, width: max(2, time(window.to) - time(window.from)), height: bottom - top,
        "zone", hover: "off pace from \(window.time)")
    }
    for tick in [1 / bad, 1, bad] {
      canvas.line(left, y(tick), right, y(tick), tick == 1 ? "axis" : "limit")
      canvas.text("\(NumberFormat.fixed(tick, 2))×", x: left - 6, y: y(tick) + 4, "tick", anchor: .end)
    }
    for tick in time.ticks {
      canvas.text(
        tick == 0 ? "0" : "\(Int(tick)) s", x: time(tick), y: bottom + 15, "tick", anchor: tick == 0 ? .start : .middle)
    }
    for trace in traces {
      for window in trace.windows {
        let hover = "\(window.time): \(window.factor) the usual time, \(window.trials) trials"
        canvas.add(trace.mark.shape(x: time(window.middle), y: y(window.ratio), size: 2.4, hover: hover))
      }
    }
    canvas.height = bottom + 24
    var x = left
    for trace in traces where traces.count > 1 {
      canvas.add(trace.mark.shape(x: x, y: canvas.height + 6, size: 3))
      canvas.text(trace.name, x: x + 8, y: canvas.height + 10, "small")
      x += 30 + Canvas.width(of: trace.name, size: 11)
    }
    if traces.count > 1 { canvas.height += 18 }
  }
}

extension Drift.Window {
  fileprivate var middle: Double { (from + to) / 2 }
  fileprivate var time: String { "\(Int(from)) s to \(Int(to)) s" }
  fileprivate var factor: String { "\(NumberFormat.fixed(ratio, 2))×" }
}
