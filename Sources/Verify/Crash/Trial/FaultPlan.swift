import CStorageInstrument
import Foundation

/// The position at which a fault begins in a series of saves: the opening of the store, a save, or the closing.
enum SavePosition: Codable, Hashable, Comparable, CustomStringConvertible {
  case opening
  case save(Int)
  /// The work after the last save: an optional operation such as a compaction, then `settle()` and the closing of the
  /// store.
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

  /// The name of this position in a series of saves: `opening`, `closing`, or the name of a save such as `save 3`.
  var phrase: String {
    switch self {
    case .opening: "opening"
    case .save(let number): "save \(number)"
    case .closing: "closing"
    }
  }

  /// The end of a sentence about an error at this position, such as `in save 3` or `when the store was opened`.
  var sentence: String {
    switch self {
    case .opening: "when the store was opened"
    case .save(let number): "in save \(number)"
    case .closing: "when the store was closed"
    }
  }
}

/// A plan for a fault in a system call, carried out by the C module CStorageInstrument.
struct FaultPlan: Codable, Hashable {
  enum Action: Codable, Hashable {
    /// A fault in which a system call does nothing and returns this errno. The ``Aftermath`` is the content of the file
    /// after a failed sync.
    case fail(Int32, Aftermath)
    case shorten
    /// A kill of the process at a system call. A write still writes its first `bytes` bytes. Any other kind of call is
    /// not carried out.
    case kill(bytes: Int)
    /// A full disk: all files of the store together can grow by only this many bytes.
    case fill(bytes: Int)
  }

  /// The content of a file after a failed sync of the file.
  enum Aftermath: String, Codable, CaseIterable {
    /// The file keeps the bytes that were written before the failed sync.
    case kept
    /// The failed sync discards the new bytes. The file again has the content that it had at its last successful sync.
    case reverted
    /// The error comes late: the sync that should fail succeeds, and the next sync of the file fails. The file keeps
    /// its new bytes.
    case late

    fileprivate var value: UInt32 {
      switch self {
      case .kept: CI_KEPT.rawValue
      case .reverted: CI_REVERTED.rawValue
      case .late: CI_LATE.rawValue
      }
    }
  }

  var action: Action
  /// The number of the system call at which the fault begins, from 1. Only calls at which a fault can occur are
  /// counted.
  var call: Int

  /// The kinds of system calls at which a fault can occur, as a set of bits.
  private static let counted = UInt32(CI_CALLS_CHANGING) | CI_CALL_OPEN.rawValue

  static func counts(_ call: LoggedCall) -> Bool { call.kind.bit & counted != 0 }

  func begin() {
    let (kind, error, aftermath, bytes): (ci_action, Int32, Aftermath, Int) =
      switch action {
      case .fail(let error, let aftermath): (CI_FAIL, error, aftermath, 0)
      case .shorten: (CI_SHORTEN, 0, .kept, 0)
      case .kill(let bytes): (CI_KILL, 0, .kept, bytes)
      case .fill(let bytes): (CI_FILL, ENOSPC, .kept, bytes)
      }
    var fault = ci_fault(
      calls: Self.counted, action: kind.rawValue, error: error, aftermath: aftermath.value, first: UInt64(call),
      count: 1, bytes: UInt64(bytes), delay: 0)
    ci_set_fault(&fault)
  }

  static func end() { ci_set_fault(nil) }
}

/// A plan that makes memory allocations of the engine's library fail.
struct MemoryPlan: Codable, Hashable {
  /// The number of the allocation that fails. Number 1 is the first allocation in the save, opening or closing with the
  /// fault.
  var allocation: Int
  /// Whether all later memory allocations fail, too, until the store throws its first error.
  var lasts: Bool

  func begin(_ library: String) { _ = ci_starve(library, UInt64(allocation), lasts ? 1 : 0) }

  static func end() { _ = ci_starve(nil, 0, 0) }

  /// The number of the library's memory allocations and the number of failed ones, since `begin(_:)` or `count(_:)` was
  /// called.
  static var counts: (all: Int, failed: Int) {
    var (all, failed): (UInt64, UInt64) = (0, 0)
    ci_read_starved(&all, &failed)
    return (Int(all), Int(failed))
  }

  /// Begins to count the memory allocations of a library. Returns false if the library is not loaded in this process.
  static func count(_ library: String) -> Bool { ci_starve(library, 0, 0) == 0 }
}
