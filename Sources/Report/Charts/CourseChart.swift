import Foundation
import StorageContract
import StorageRunFiles

/// A chart of latency over time, with a line for each backend. Triangles mark very slow operations.
struct CourseChart: Chart {
  /// The latencies of one backend's operations over time, in nanoseconds, measured in one process.
  struct Row: Sendable {
    var name: String
    var mark: SeriesMark
    var median: Double
    var course: LatencySeries

    /// Creates the row of a backend. Nil if too few operations were timed one by one.
    init?(_ row: SummaryRow, name: String, mark: SeriesMark) {
      guard let course = row.course, course.sums.count >= CourseChart.fewestStretches, let median = row.p50,
        !row.isBatched
      else { return nil }
      (self.name, self.mark, self.median, self.course) = (name, mark, median, course)
    }

    var pauses: [Int] { course.slowest.indices.filter { Double(course.slowest[$0]) >= CourseChart.pause * median } }
    var operations: Int { (course.sums.count - 1) * course.length + course.last }
  }

  /// The minimum time of a pause (a very slow operation), as a multiple of the median time.
  static let pause = 8.0
  /// The minimum number of stretches (groups of consecutive operations) that a backend needs for a line in the chart.
  static let fewestStretches = 8
  private static let lineHeight = 46.0

  var id: String
  var title: String
  var rows: [Row]

  static let note =
    "One process, its operations from left to right. Line: the mean of a stretch, on a logarithmic axis. Triangle: an "
    + "operation of \(Int(pause)) times the median or longer, such as a checkpoint of a write-ahead log."

  var summary: String {
    rows.map { row in
      let pauses = row.pauses.count
      let slow = "\(Int(Self.pause)) times the median"
      let rest = pauses == 0 ? "none took \(slow)" : "\(slow) in \(pauses) of \(row.course.sums.count) stretches"
      return "\(row.name), \(Quantity.grouped(row.operations)) operations: \(rest)"
    }.joined(separator: "; ") + "."
  }

  func draw(on canvas: inout Canvas) {
    canvas.note(Self.note)
    let values = rows.map { NumberFormat.time($0.median) }
    let layout = RowLayout(names: rows.map(\.name), values: values, below: canvas, lineHeight: Self.lineHeight)
    for (index, row) in rows.enumerated() {
      let middle = layout.row(index, values[index], on: &canvas)
      draw(row, on: &canvas, from: layout.left + 6, to: layout.right - 6, middle: middle)
    }
    canvas.height = layout.bottom + 4
  }

  private func draw(_ row: Row, on canvas: inout Canvas, from left: Double, to right: Double, middle: Double) {
    let text = Canvas.text
    let means = row.course.means
    let half = Self.lineHeight / 2 - 8
    guard let y = LogScale(means + [row.median], pixels: (middle + half, middle - half)) else { return }
    func x(_ stretch: Int) -> Double { left + (Double(stretch) + 0.5) / Double(means.count) * (right - left) }
    canvas.line(left, y(row.median), right, y(row.median), "grid")
    let path = means.enumerated().map { "\($0 == 0 ? "M" : "L")\(text(x($0))) \(text(y($1)))" }.joined()
    canvas.path(path, "line \(row.mark.css)")
    for stretch in row.pauses {
      let path = "M\(text(x(stretch))) \(text(middle - half - 1))l3 -6h-6z"
      let time = NumberFormat.time(Double(row.course.slowest[stretch]))
      canvas.path(path, "mean", hover: "\(row.name): one operation took \(time)")
    }
  }
}
