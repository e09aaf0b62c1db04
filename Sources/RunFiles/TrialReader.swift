import Foundation
import StorageContract

/// A reader of the journal `trials.jsonl`, which keeps only one trial in memory at a time.
public struct TrialReader: Sendable {
  /// The state of a reader after it has read the last line of a journal.
  public struct End: Sendable, Equatable {
    /// The number of trials that the journal contained.
    public var trials: Int
    /// Whether the journal ended with an incomplete line, for example after a kill. Such a line is dropped.
    public var isTruncated: Bool
    /// The total length of all complete lines of the journal in bytes. A resumed run appends new lines at this offset.
    public var wholeBytes: Int
  }

  /// The location of the journal, `trials.jsonl`.
  public let url: URL
  private let bytes: Int
  /// The readers of the journals that this reader joins. The number `roundsBefore` is added to each ``Trial/round``.
  /// Empty if there is only one journal.
  private var parts: [(reader: TrialReader, roundsBefore: Int)] = []

  /// Creates a reader of a journal, which is opened by ``forEach(_:)``.
  ///
  /// - Parameters:
  ///   - url: The location of the journal.
  ///   - bytes: The maximum number of bytes to read; see ``End/wholeBytes``.
  public init(url: URL, bytes: Int = .max) { (self.url, self.bytes) = (url, bytes) }

  /// Creates a reader of the trials of several runs. The numbers of the rounds continue from run to run.
  ///
  /// - Parameters:
  ///   - readers: The readers of the journals, at least one.
  ///   - rounds: The number of rounds of each run.
  public init(joining readers: [TrialReader], rounds: Int) {
    self.init(url: readers[0].url)
    parts = readers.enumerated().map { ($1, $0 * rounds) }
  }

  /// Returns a reader of this journal that stops where an earlier reading ended. Trials appended later are not read.
  public func again(_ end: End) -> TrialReader { TrialReader(url: url, bytes: end.wholeBytes) }

  /// Calls `body` for every trial in order, and returns the state at the end. An incomplete last line is dropped.
  ///
  /// - Throws: `UsageError` if the file cannot be read, or a line is damaged or has another schema version; errors of
  ///   `body`.
  public func forEach(_ body: (Trial) throws -> Void) throws -> End {
    guard parts.isEmpty else { return try forEachOfParts(body) }
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw UsageError("cannot read \(url.path): \(String(cString: strerror(errno)))")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let decoder = JSONDecoder()
    var end = End(trials: 0, isTruncated: false, wholeBytes: 0)
    var (rest, lines, left) = (Data(), 0, bytes)
    while let data = try AtomicFile.reading(url.path, { try file.read(upToCount: min(1 << 20, left)) }), !data.isEmpty {
      left -= data.count
      rest.append(data)
      var start = rest.startIndex
      while let stop = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
        lines += 1
        if stop > start {
          try body(Trial(rest[start..<stop], path: url.path, line: lines, with: decoder))
          end.trials += 1
        }
        start = stop + 1
      }
      end.wholeBytes += start - rest.startIndex
      rest = Data(rest[start...])
    }
    if rest.isEmpty { return end }
    // A last line without a line break may still be complete. Accepting such a line loses nothing.
    guard let trial = try? decoder.decode(Trial.self, from: rest), readableSchemas.contains(trial.schema) else {
      end.isTruncated = true
      return end
    }
    try body(Trial(rest, path: url.path, line: lines + 1, with: decoder))
    end.trials += 1
    end.wholeBytes += rest.count
    return end
  }

  private func forEachOfParts(_ body: (Trial) throws -> Void) throws -> End {
    var all = End(trials: 0, isTruncated: false, wholeBytes: 0)
    for (reader, roundsBefore) in parts {
      let end = try reader.forEach { trial in
        var trial = trial
        trial.round = trial.round.map { $0 + roundsBefore }
        try body(trial)
      }
      all.trials += end.trials
      all.isTruncated = all.isTruncated || end.isTruncated
      all.wholeBytes += end.wholeBytes
    }
    return all
  }
}
