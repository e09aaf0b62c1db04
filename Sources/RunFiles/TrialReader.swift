import Dispatch
import Foundation
import StorageContract
import Synchronization

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
  /// How many bytes of it are read at most.
  private let bytes: Int
  private let quick = TrialLineDecoder()

  /// Creates a reader; the file is opened by ``forEach(_:)``.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - bytes: How many of its bytes are read at most; see ``End/wholeBytes``.
  public init(url: URL, bytes: Int = .max) { (self.url, self.bytes) = (url, bytes) }

  /// A reader that hands out the same trials again, though a run may have added more by then.
  public func again(_ end: End) -> TrialReader { TrialReader(url: url, bytes: end.wholeBytes) }

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
    _ made: @escaping @Sendable (Trial) -> Value, _ body: (Value) throws -> Void
  ) throws -> End {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw UsageError("cannot read \(url.path): \(String(cString: strerror(errno)))")
    }
    let file = Rest(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), bytes: bytes)
    var end = End(trials: 0, isTruncated: false, wholeBytes: 0)
    let pieces = Ahead<Piece<Value>> { try next(file, made) }
    defer { pieces.stop() }
    while let piece = try pieces.next() {
      for value in piece.values.joined() { try body(value) }
      end.trials += piece.values.reduce(0) { $0 + $1.count }
      end.wholeBytes += piece.wholeBytes
      end.isTruncated = piece.isTruncated
    }
    return end
  }

  /// What was made of some lines, in their order.
  private struct Piece<Value: Sendable>: Sendable {
    var values: [[Value]]
    var wholeBytes: Int
    var isTruncated = false
  }

  /// What of a file has not been handed out.
  private final class Rest: Sendable {
    struct State {
      var bytes = Data()
      /// Lines before these bytes.
      var lines = 0
      /// Bytes of the file that are still to be read.
      var left: Int
      var isAtEnd = false
    }
    let handle: FileHandle
    let state: Mutex<State>

    init(_ handle: FileHandle, bytes: Int) {
      self.handle = handle
      state = Mutex(State(left: bytes))
    }
  }

  /// Reads on; nil at the file's end.
  private func next<Value: Sendable>(
    _ file: Rest, _ made: @escaping @Sendable (Trial) -> Value
  ) throws -> Piece<Value>? {
    var rest = file.state.withLock { $0 }
    if rest.isAtEnd { return nil }
    defer { file.state.withLock { $0 = rest } }
    guard let chunk = try read(file.handle, rest.left), !chunk.isEmpty else {
      rest.isAtEnd = true
      if rest.bytes.isEmpty { return nil }
      // No line's end: whole only by chance, and then nothing is lost by taking it.
      guard let trial = try? quick.trial(rest.bytes, JSONDecoder()), trial.schema == schemaVersion else {
        return Piece(values: [], wholeBytes: 0, isTruncated: true)
      }
      try check(trial, line: rest.lines + 1)
      return Piece(values: [[made(trial)]], wholeBytes: rest.bytes.count)
    }
    rest.left -= chunk.count
    rest.bytes.append(chunk)
    let lines = Self.lines(rest.bytes)
    let values = try decoded(lines.map { rest.bytes[$0] }, after: rest.lines, made)
    rest.lines += lines.count
    let whole = (lines.last?.upperBound).map { $0 + 1 - rest.bytes.startIndex } ?? 0
    rest.bytes = Data(rest.bytes.dropFirst(whole))
    return Piece(values: values, wholeBytes: whole)
  }

  /// Makes values on a thread of its own, one while the one before is used. Not on a thread of the pool, which may all be
  /// waiting here.
  private final class Ahead<Value: Sendable>: Sendable {
    private let wanted = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    /// What was made last; nil once nobody wants more.
    private let made = Mutex<Result<Value?, any Error>?>(.success(nil))

    /// - Parameter make: Makes the next value; nil if there is none.
    init(_ make: @escaping @Sendable () throws -> Value?) {
      wanted.signal()
      Thread.detachNewThread { [self] in
        var isAtEnd = false
        while !isAtEnd {
          wanted.wait()
          if made.withLock({ $0 == nil }) { return }
          let result = Result { try make() }
          if case .success(.some) = result {} else { isAtEnd = true }
          made.withLock { if $0 != nil { $0 = result } }
          done.signal()
        }
      }
    }

    /// Waits for the next value; nil at the end.
    func next() throws -> Value? {
      done.wait()
      let result = made.withLock { made in
        defer { made = .success(nil) }
        return made
      }
      wanted.signal()
      return try result?.get()
    }

    /// Lets the thread end, whatever it is at.
    func stop() {
      made.withLock { $0 = nil }
      wanted.signal()
    }
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
    _ lines: [Data], after number: Int, _ made: @escaping @Sendable (Trial) -> Value
  ) throws -> [[Value]] {
    // More parts than processors: these have other things to do, and the last one is waited for.
    let parts = min(4 * ProcessInfo.processInfo.activeProcessorCount, max(1, lines.count / 16))
    return try Processors.map(parts) { part in
      let decoder = JSONDecoder()
      return Result {
        try (lines.count * part / parts..<lines.count * (part + 1) / parts).compactMap { index in
          lines[index].isEmpty ? nil : made(try decode(lines[index], line: number + index + 1, with: decoder))
        }
      }
    }.map { try $0.get() }
  }

  private func read(_ handle: FileHandle, _ left: Int) throws -> Data? {
    do {
      return try handle.read(upToCount: min(1 << 20, left))
    } catch {
      throw UsageError("cannot read \(url.path): \(AtomicFile.reason(of: error))")
    }
  }

  private func decode(_ line: Data, line number: Int, with decoder: JSONDecoder) throws -> Trial {
    do {
      let trial = try quick.trial(line, decoder)
      if trial.schema == schemaVersion {
        try check(trial, line: number)
        return trial
      }
    } catch let error as UsageError {
      throw error
    } catch {
      guard let other = RunDirectory.schema(of: line, decoder), other != schemaVersion else {
        throw UsageError(
          "\(url.path) is damaged: line \(number) is not a trial\(error.field); take the file from a copy, or run again"
        )
      }
    }
    throw OtherSchema.error(url.path, RunDirectory.schema(of: line, decoder) ?? 0)
  }

  private func check(_ trial: Trial, line number: Int) throws {
    do {
      try trial.checkNumbers()
    } catch let error as FieldError {
      throw error.usageError("\(url.path), line \(number)")
    }
  }
}
