import CStorageInstrument
import Foundation

/// Where in a history a fault begins.
enum SavePlace: Codable, Hashable, Comparable, CustomStringConvertible {
  case opening
  /// The save of a number.
  case save(Int)
  /// Settling and closing, after the last save.
  case closing

  /// Reads what ``description`` prints.
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

  /// As a noun.
  var phrase: String {
    switch self {
    case .opening: "opening"
    case .save(let number): "save \(number)"
    case .closing: "closing"
    }
  }

  /// As the end of a sentence.
  var sentence: String {
    switch self {
    case .opening: "when the store was opened"
    case .save(let number): "in save \(number)"
    case .closing: "when the store was closed"
    }
  }
}

/// What is done to calls: a fault plan of CInstrument, as other processes are told it.
struct FaultPlan: Codable, Hashable {
  enum Action: Codable, Hashable {
    /// The call fails with an errno and does nothing; a sync has an aftermath.
    case fail(Int32, Aftermath)
    /// A write does half of what it was asked for.
    case shorten
    /// The process is killed in the call, a write after so many bytes, any other before it.
    case kill(bytes: Int)
    /// There is room for so many bytes more.
    case fill(bytes: Int)
  }

  /// What a file holds after a sync of it has failed.
  enum Aftermath: String, Codable, CaseIterable {
    /// What was written.
    case kept
    /// What the last sync that succeeded had left.
    case reverted
    /// What was written; and it is the next sync that fails.
    case late
  }

  var action: Action
  /// Which call, from 1, of those that ``counts(_:)`` accepts.
  var call: Int

  /// The calls that are counted: all that change something, or make it last, and openings.
  private static let counted = UInt32(CI_CALLS_CHANGING) | CI_CALL_OPEN.rawValue

  /// Whether a call has a number.
  static func counts(_ call: LoggedCall) -> Bool { call.kind.bit & counted != 0 }

  /// Begins to have an effect on the calls of this process.
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

  /// Ends whatever plan there is.
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
