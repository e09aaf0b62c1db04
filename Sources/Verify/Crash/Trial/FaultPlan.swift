import CStorageInstrument
import Foundation

/// The position in a history of saves at which a fault begins.
enum SavePosition: Codable, Hashable, Comparable, CustomStringConvertible {
  case opening
  case save(Int)
  /// The end of the history, after the last save. The process calls `settle()`, which does deferred work, and closes
  /// the store.
  case closing

  init?(_ text: some StringProtocol) {
    switch text {
    case "open": self = .opening
    case "close": self = .closing
    default:
      guard let number = Int(text), number > 0 else { return nil }
      self = .save(number)
    }
  }

  var description: String {
    switch self {
    case .opening: "open"
    case .save(let number): String(number)
    case .closing: "close"
    }
  }

  /// The position as a noun: `save 3`.
  var phrase: String {
    switch self {
    case .opening: "opening"
    case .save(let number): "save \(number)"
    case .closing: "closing"
    }
  }

  /// The position as the end of a sentence: `in save 3`.
  var sentence: String {
    switch self {
    case .opening: "when the store was opened"
    case .save(let number): "in save \(number)"
    case .closing: "when the store was closed"
    }
  }
}

/// A plan for a fault in a system call, which the C module CInstrument carries out in a child process.
struct FaultPlan: Codable, Hashable {
  enum Action: Codable, Hashable {
    /// The call fails with this errno and does nothing. If the call is a sync, the ``Aftermath`` says which content the
    /// file has afterwards.
    case fail(Int32, Aftermath)
    case shorten
    /// The process is killed in the call. If the call is a write, this many bytes are written first. Any other call is
    /// not executed.
    case kill(bytes: Int)
    /// The disk has room for only this many more bytes, counted from the moment at which the plan begins.
    case fill(bytes: Int)
  }

  /// The content of a file after a failed sync of the file.
  enum Aftermath: String, Codable, CaseIterable {
    /// The file keeps the newly written bytes.
    case kept
    /// The file returns to its content after the last successful sync.
    case reverted
    /// The file keeps the newly written bytes, and the next sync fails instead of this one.
    case late
  }

  var action: Action
  /// The number of the call to hit, from 1. Only the calls that ``counts(_:)`` accepts are numbered.
  var call: Int

  /// The kinds of calls that are counted: calls that change files, calls that make changes durable, and openings.
  private static let counted = UInt32(CI_CALLS_CHANGING) | CI_CALL_OPEN.rawValue

  static func counts(_ call: LoggedCall) -> Bool { call.kind.bit & counted != 0 }

  func begin() {
    var fault = ci_fault()
    fault.calls = Self.counted
    fault.first = UInt64(call)
    fault.count = 1
    switch action {
    case .fail(let error, let aftermath):
      fault.action = CI_FAIL.rawValue
      fault.error = error
      fault.aftermath = aftermath.value
    case .shorten: fault.action = CI_SHORTEN.rawValue
    case .kill(let bytes):
      fault.action = CI_KILL.rawValue
      fault.bytes = UInt64(bytes)
    case .fill(let bytes):
      fault.action = CI_FILL.rawValue
      fault.error = ENOSPC
      fault.bytes = UInt64(bytes)
    }
    ci_set_fault(&fault)
  }

  static func end() { ci_set_fault(nil) }
}

extension FaultPlan.Aftermath {
  fileprivate var value: UInt32 {
    switch self {
    case .kept: CI_KEPT.rawValue
    case .reverted: CI_REVERTED.rawValue
    case .late: CI_LATE.rawValue
    }
  }
}

/// A plan that makes allocations of the engine's library fail in a child process. The C module CInstrument carries the
/// plan out.
struct MemoryPlan: Codable, Hashable {
  /// The number of the allocation that fails, from 1.
  var allocation: Int
  /// Whether all later allocations fail too, until the store's first error.
  var lasts: Bool

  func begin(_ library: String) { _ = ci_starve(library, UInt64(allocation), lasts ? 1 : 0) }

  static func end() { _ = ci_starve(nil, 0, 0) }

  /// The number of all allocations that the library has made since the last `begin(_:)` or `count(_:)`, and the number
  /// of those that failed.
  static var counts: (all: Int, failed: Int) {
    var (all, failed): (UInt64, UInt64) = (0, 0)
    ci_read_starved(&all, &failed)
    return (Int(all), Int(failed))
  }

  /// Begins to count the allocations of a library. Returns false if the library is not loaded in this process.
  static func count(_ library: String) -> Bool { ci_starve(library, 0, 0) == 0 }
}
