import Contract
import Foundation

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

  /// Creates a reader; the file is opened by ``forEach(_:)``.
  public init(url: URL) { self.url = url }

  /// Hands out every trial in the order of the file.
  ///
  /// A last line without an end that cannot be read is dropped: the process died while writing it.
  ///
  /// - Throws: `UsageError` if the file is missing or unreadable, if a line before the last is damaged, or has
  ///   another schema version; and what the body throws.
  public func forEach(_ body: (Trial) throws -> Void) throws -> End {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw UsageError("cannot read \(url.path): \(String(cString: strerror(errno)))")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let decoder = JSONDecoder()
    var end = End(trials: 0, isTruncated: false, wholeBytes: 0)
    var rest = Data()
    var number = 0
    while true {
      guard let chunk = try read(handle), !chunk.isEmpty else { break }
      rest.append(chunk)
      var start = rest.startIndex
      while let lineEnd = rest[start...].firstIndex(of: 0x0A) {
        number += 1
        if lineEnd > start {
          try body(decode(rest[start..<lineEnd], line: number, with: decoder))
          end.trials += 1
        }
        end.wholeBytes += lineEnd + 1 - start
        start = lineEnd + 1
      }
      rest = Data(rest[start...])
    }
    if !rest.isEmpty {
      // No line's end: whole only by chance, and then nothing is lost by taking it.
      if let trial = try? decode(rest, line: number + 1, with: decoder) {
        try body(trial)
        end.trials += 1
        end.wholeBytes += rest.count
      } else {
        end.isTruncated = true
      }
    }
    return end
  }

  private func read(_ handle: FileHandle) throws -> Data? {
    do {
      return try handle.read(upToCount: 1 << 18)
    } catch {
      throw UsageError("cannot read \(url.path): \(AtomicFile.reason(of: error))")
    }
  }

  private func decode(_ line: Data, line number: Int, with decoder: JSONDecoder) throws -> Trial {
    do {
      let trial = try decoder.decode(Trial.self, from: line)
      if trial.schema == schemaVersion { return trial }
    } catch {
      guard let other = RunDirectory.schema(of: line, decoder), other != schemaVersion else {
        throw UsageError("\(url.path) is damaged: line \(number) is not a trial")
      }
    }
    throw RunDirectory.otherSchema(url.path, RunDirectory.schema(of: line, decoder) ?? 0)
  }
}
