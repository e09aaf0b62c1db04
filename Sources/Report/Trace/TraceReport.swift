import StorageContract

/// A report of the system calls of one operation on the store's files, in order, with totals.
public struct TraceReport: Sendable {
  /// One system call, or an event of the engine without a call.
  public struct Line: Sendable, Equatable {
    /// The name of the call: `write`, `sync`.
    public var call: String
    /// The file of the call, relative to the store's directory; empty if there is none.
    public var file: String
    /// The new name of a file that is renamed or linked, or nil.
    public var target: String?
    /// The number of bytes written or read, or nil.
    public var bytes: Int?
    /// The nanoseconds of the call in the kernel, or nil if the line is not a call.
    public var duration: Int64?
    /// The meaning of the call for the engine in a few words, or an empty text.
    public var meaning: String
    /// Whether the call is a write.
    public var isWrite: Bool
    /// Whether the call syncs data to the disk.
    public var isSync: Bool
    /// Whether the file has a temporary name that is different in every operation.
    public var isPassing: Bool

    /// Creates a line of the report.
    public init(
      call: String, file: String, target: String? = nil, bytes: Int? = nil, duration: Int64?, meaning: String = "",
      isWrite: Bool = false, isSync: Bool = false, isPassing: Bool = false
    ) {
      self.call = call
      self.file = file
      self.target = target
      self.bytes = bytes
      self.duration = duration
      self.meaning = meaning
      self.isWrite = isWrite
      self.isSync = isSync
      self.isPassing = isPassing
    }

    /// The call without parts that differ every time: sizes, times, page numbers, temporary names.
    public var shape: String {
      "\(call) \(isPassing ? "" : file) \(target ?? "") \(meaning.filter { !$0.isNumber })"
    }

    /// The call in a sentence: `write store.sqlite-wal (log header)`.
    public var phrase: String {
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

  /// The name of the store's directory in the list of files.
  public static let directory = "./"

  /// The title of the report: workload, backend, size and level.
  public var title: String
  /// Sentences on the conditions, and the number of the traced operation.
  public var words: [String]
  /// The system calls in order.
  public var lines: [Line]

  /// Creates a report.
  public init(title: String, words: [String], lines: [Line]) {
    self.title = title
    self.words = words
    self.lines = lines
  }

  /// The report as a document, for a terminal and as a page.
  public var document: Document {
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

  /// The totals of the calls: number, bytes, syncs and the time in them.
  public var totals: String {
    let calls = lines.filter { $0.duration != nil }
    guard !calls.isEmpty else {
      return "No call: what the operation needs is in memory, or in a mapping of the file, which is read without calls."
    }
    let (writes, reads) = (calls.filter(\.isWrite), calls.filter { !$0.isWrite && $0.bytes != nil })
    var parts = [Self.counted(calls.count, "call")]
    if !writes.isEmpty { parts.append("\(Self.counted(writes.count, "write")) of \(Self.bytes(writes))") }
    if !reads.isEmpty { parts.append("\(Self.counted(reads.count, "read")) of \(Self.bytes(reads))") }
    parts.append(Self.counted(calls.filter(\.isSync).count, "sync"))
    let time = calls.reduce(0) { $0 + ($1.duration ?? 0) }
    return parts.joined(separator: ", ") + "; \(NumberFormat.time(Double(time))) in these calls."
  }

  /// The rows of the report's table. Repeated calls appear once, with a row for the number of repetitions.
  private var rows: [[String]] {
    let shapes = lines.map(\.shape)
    var rows: [[String]] = []
    var place = 0
    while place < lines.count {
      let (period, times) = Self.repetition(in: shapes, at: place)
      rows += lines[place..<place + period].map(\.fields)
      let rest = lines[place + period..<place + period * times]
      if !rest.isEmpty {
        let more = Quantity.grouped(times - 1)
        rows.append([
          "...", "", rest.contains { $0.bytes != nil } ? Quantity.grouped(rest.reduce(0) { $0 + ($1.bytes ?? 0) }) : "",
          Self.microseconds(rest.reduce(0) { $0 + ($1.duration ?? 0) }),
          period == 1 ? "\(more) more like it" : "these \(period) calls \(more) more times",
        ])
      }
      place += period * times
    }
    return rows
  }

  /// The number of repetitions from which repeated calls are merged.
  private static let leastRepetitions = 4
  /// The maximum number of calls in a repeated group: a frame of a log has 2, a page in a journal 3.
  private static let longestPeriod = 6

  /// Returns the number of calls in the group that repeats at an index, and the repetitions; 1 and 1 if none repeats.
  private static func repetition(in shapes: [String], at place: Int) -> (period: Int, times: Int) {
    var best = (period: 1, times: 1)
    for period in 1...longestPeriod where place + period <= shapes.count {
      let group = shapes[place..<place + period]
      var times = 1
      while place + (times + 1) * period <= shapes.count,
        shapes[place + times * period..<place + (times + 1) * period].elementsEqual(group)
      {
        times += 1
      }
      if times >= leastRepetitions, times * period > best.times * best.period { best = (period, times) }
    }
    return best
  }

  private static func bytes(_ lines: [Line]) -> String {
    counted(lines.reduce(0) { $0 + ($1.bytes ?? 0) }, "byte")
  }

  private static func counted(_ count: Int, _ what: String) -> String {
    "\(Quantity.grouped(count)) \(what)\(count == 1 ? "" : "s")"
  }

  /// Returns microseconds with one decimal: `3.1`, `1,204.0`.
  private static func microseconds(_ nanoseconds: Int64) -> String {
    let tenths = (max(0, nanoseconds) + 50) / 100
    return "\(Quantity.grouped(Int(tenths / 10))).\(tenths % 10)"
  }
}
