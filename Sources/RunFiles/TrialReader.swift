import Foundation
import StorageContract

/// Reads `trials.jsonl` trial by trial. The file may be larger than memory.
public struct TrialReader: Sendable {
  /// What was found in the file.
  public struct End: Sendable, Equatable {
    /// Trials that were handed out.
    public var trials: Int
    /// Whether the last line was cut off, as by a kill in the middle of a write, and dropped.
    public var isTruncated: Bool
    /// Bytes up to the end of the last whole line: where a resumed run goes on writing.
    public var wholeBytes: Int
  }

  /// The file.
  public let url: URL
  private let quick = TrialLineDecoder()

  /// Creates a reader; the file is opened by ``forEach(_:)``.
  public init(url: URL) { self.url = url }

  /// Hands out every trial in the order of the file.
  ///
  /// A last line without an end that cannot be read is dropped: the process died while writing it.
  ///
  /// - Throws: `UsageError` if the file is missing or unreadable, if a line before the last is damaged, or has
  ///   another schema version; and what the body throws.
  public func forEach(_ body: (Trial) throws -> Void) throws -> End { try forEach({ $0 }, body) }

  /// Hands out what is made of every trial, in the order of the file. It is made where the trial is read: by all
  /// processors, and in no order.
  ///
  /// - Throws: As ``forEach(_:)``.
  public func forEach<Value: Sendable>(
    _ made: @Sendable (Trial) -> Value, _ body: (Value) throws -> Void
  ) throws -> End {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw UsageError("cannot read \(url.path): \(String(cString: strerror(errno)))")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var end = End(trials: 0, isTruncated: false, wholeBytes: 0)
    var rest = Data()
    var number = 0
    while true {
      guard let chunk = try read(handle), !chunk.isEmpty else { break }
      rest.append(chunk)
      let lines = Self.lines(rest)
      for part in try decoded(lines.map { rest[$0] }, after: number, made) {
        for value in part { try body(value) }
        end.trials += part.count
      }
      number += lines.count
      let whole = (lines.last?.upperBound).map { $0 + 1 - rest.startIndex } ?? 0
      end.wholeBytes += whole
      rest = Data(rest.dropFirst(whole))
    }
    if !rest.isEmpty {
      // No line's end: whole only by chance, and then nothing is lost by taking it.
      if let trial = try? decode(rest, line: number + 1, with: JSONDecoder()) {
        try body(made(trial))
        end.trials += 1
        end.wholeBytes += rest.count
      } else {
        end.isTruncated = true
      }
    }
    return end
  }

  /// The places of all whole lines, without their ends.
  private static func lines(_ data: Data) -> [Range<Int>] {
    data.withUnsafeBytes { bytes in
      var lines: [Range<Int>] = []
      var start = 0
      while start < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + start, 0x0A, bytes.count - start)
      {
        let end = UnsafeRawPointer(found) - base
        lines.append(data.startIndex + start..<data.startIndex + end)
        start = end + 1
      }
      return lines
    }
  }

  /// Reads lines, in their order; empty lines are left out. Reading a line takes much longer than using it, so that the
  /// processors share the work.
  private func decoded<Value: Sendable>(
    _ lines: [Data], after number: Int, _ made: @Sendable (Trial) -> Value
  ) throws -> [[Value]] {
    let parts = min(ProcessInfo.processInfo.activeProcessorCount, max(1, lines.count / 16))
    return try Processors.map(parts) { part in
      let decoder = JSONDecoder()
      return Result {
        try (lines.count * part / parts..<lines.count * (part + 1) / parts).compactMap { index in
          lines[index].isEmpty ? nil : made(try decode(lines[index], line: number + index + 1, with: decoder))
        }
      }
    }.map { try $0.get() }
  }

  private func read(_ handle: FileHandle) throws -> Data? {
    do {
      return try handle.read(upToCount: 1 << 20)
    } catch {
      throw UsageError("cannot read \(url.path): \(AtomicFile.reason(of: error))")
    }
  }

  private func decode(_ line: Data, line number: Int, with decoder: JSONDecoder) throws -> Trial {
    do {
      let trial = try quick.trial(line, decoder)
      if trial.schema == schemaVersion { return trial }
    } catch {
      guard let other = RunDirectory.schema(of: line, decoder), other != schemaVersion else {
        throw UsageError("\(url.path) is damaged: line \(number) is not a trial")
      }
    }
    throw OtherSchema.error(url.path, RunDirectory.schema(of: line, decoder) ?? 0)
  }
}
