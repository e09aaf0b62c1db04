import StorageContract
import StorageReport

/// A report of the system calls that one operation made on the store's files, as printed by the command `trace`.
struct TraceReport {
  /// A line of the report: a system call, or the moment at which the engine acknowledged a save.
  struct Line {
    /// The name of the system call, such as `write` or `sync`.
    var call: String
    /// The file of the system call, relative to the store's directory; empty if the call has none.
    var file: String
    /// The new name of a file that is renamed or linked; nil for other calls.
    var target: String?
    /// The number of bytes written or read; nil for calls that transfer none.
    var bytes: Int?
    /// The nanoseconds that the system call took; nil if the line is the acknowledgment of a save.
    var duration: Int64?
    /// The purpose of the system call in a few words, such as `log header`; may be empty.
    var meaning = ""
    var isWrite = false
    var isSync = false
    /// Whether the call works on a temporary file, whose name differs in every operation.
    var isPassing = false

    /// The system call without details that vary: the numbers in ``meaning``, and the name of a temporary file.
    /// Repetitions of a call have equal shapes.
    var shape: String { "\(call) \(isPassing ? "" : file) \(target ?? "") \(meaning.filter { !$0.isNumber })" }

    /// The system call as text: `write store.sqlite-wal (log header)`.
    var phrase: String {
      let what = isPassing ? "a temporary file" : file == TraceReport.directory ? "" : file
      return [call, what, meaning.isEmpty || isPassing ? "" : "(\(meaning))"].filter { !$0.isEmpty }
        .joined(separator: " ")
    }

    fileprivate var fields: [String] {
      [
        call, target.map { "\(file) -> \($0)" } ?? file, bytes.map(Quantity.grouped) ?? "",
        duration.map(TraceReport.microseconds) ?? "", meaning,
      ]
    }
  }

  /// The value of ``Line/file`` for a system call on the store's directory itself.
  static let directory = "./"

  /// The title of the report: workload, backend, number of records and safety level.
  var title: String
  /// The sentences at the top of the report, such as on the engine's version.
  var words: [String]
  /// The system calls of the traced operation, in order.
  var lines: [Line]

  var document: Document {
    var section = Section(id: "trace", title: "")
    section.lead = ["\(strong: title)"] + words.map { RichText($0) }
    if lines.isEmpty {
      section.lead.append(RichText(totals))
    } else {
      section.tables = [
        Table(
          "",
          [.words("call"), .words("file"), .number("bytes"), .number("µs"), .words("what it is")],
          rows.map { $0.map { .init(RichText($0)) } }, footer: [RichText(totals)])
      ]
    }
    return Document(title: "storage-bench trace", sections: [section])
  }

  /// The totals of all system calls in a sentence: calls, bytes, syncs, and the time in the kernel.
  var totals: String {
    let calls = lines.filter { $0.duration != nil }
    guard !calls.isEmpty else {
      return "No call: what the operation needs is in memory, or in a mapping of the file, which is read without calls."
    }
    let (writes, reads) = (calls.filter(\.isWrite), calls.filter { !$0.isWrite && $0.bytes != nil })
    var parts = [Quantity.counted(calls.count, "call")]
    if !writes.isEmpty { parts.append("\(Quantity.counted(writes.count, "write")) of \(Self.bytes(writes))") }
    if !reads.isEmpty { parts.append("\(Quantity.counted(reads.count, "read")) of \(Self.bytes(reads))") }
    parts.append(Quantity.counted(calls.filter(\.isSync).count, "sync"))
    let time = calls.reduce(0) { $0 + ($1.duration ?? 0) }
    return parts.joined(separator: ", ") + "; \(NumberFormat.time(Double(time))) in these calls."
  }

  private var rows: [[String]] {
    let shapes = lines.map(\.shape)
    var rows: [[String]] = []
    var index = 0
    while index < lines.count {
      let (period, times) = Self.repetition(in: shapes, at: index)
      rows += lines[index..<index + period].map(\.fields)
      let rest = lines[index + period..<index + period * times]
      if !rest.isEmpty {
        let more = Quantity.grouped(times - 1)
        rows.append([
          "...", "", rest.contains { $0.bytes != nil } ? Quantity.grouped(rest.reduce(0) { $0 + ($1.bytes ?? 0) }) : "",
          Self.microseconds(rest.reduce(0) { $0 + ($1.duration ?? 0) }),
          period == 1 ? "\(more) more like it" : "these \(period) calls \(more) more times",
        ])
      }
      index += period * times
    }
    return rows
  }

  private static let leastRepetitions = 4
  /// The maximum length, in system calls, of a sequence that is recognized as repeated. A report shows such a sequence
  /// once.
  private static let longestPeriod = 6

  /// Returns the length (`period`) of the sequence of calls that repeats from `index` on, and its number of occurrences
  /// (`times`). With fewer than four occurrences, both are 1.
  static func repetition(in shapes: [String], at index: Int) -> (period: Int, times: Int) {
    var best = (period: 1, times: 1)
    for period in 1...longestPeriod where index + period <= shapes.count {
      let group = shapes[index..<index + period]
      var times = 1
      while index + (times + 1) * period <= shapes.count,
        shapes[index + times * period..<index + (times + 1) * period].elementsEqual(group)
      {
        times += 1
      }
      if times >= leastRepetitions, times * period > best.times * best.period { best = (period, times) }
    }
    return best
  }

  private static func bytes(_ lines: [Line]) -> String {
    Quantity.counted(lines.reduce(0) { $0 + ($1.bytes ?? 0) }, "byte")
  }

  private static func microseconds(_ nanoseconds: Int64) -> String {
    let tenths = (max(0, nanoseconds) + 50) / 100
    return "\(Quantity.grouped(Int(tenths / 10))).\(tenths % 10)"
  }
}
