import CStorageInstrument
import Foundation

/// The position in a history of saves at which a fault begins.
enum SavePlace: Codable, Hashable, Comparable, CustomStringConvertible {
  case opening
  case save(Int)
  /// Settling and closing, after the last save.
  case closing

  /// Parses the text that ``description`` prints.
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

  /// The position as a noun.
  var phrase: String {
    switch self {
    case .opening: "opening"
    case .save(let number): "save \(number)"
    case .closing: "closing"
    }
  }

  /// The position as the end of a sentence.
  var sentence: String {
    switch self {
    case .opening: "when the store was opened"
    case .save(let number): "in save \(number)"
    case .closing: "when the store was closed"
    }
  }
}

/// A fault plan of CInstrument in a form that can be sent to another process.
struct FaultPlan: Codable, Hashable {
  enum Action: Codable, Hashable {
    /// The call fails with an errno and does nothing. For a sync, the aftermath is the content of the file.
    case fail(Int32, Aftermath)
    /// A write does half of what was requested.
    case shorten
    /// The process is killed in the call: a write after this many bytes, any other call before it begins.
    case kill(bytes: Int)
    /// The disk has room for this many more bytes.
    case fill(bytes: Int)
  }

  /// The content of a file after a failed sync.
  enum Aftermath: String, Codable, CaseIterable {
    /// The file keeps what was written.
    case kept
    /// The file returns to the content of the last successful sync.
    case reverted
    /// The file keeps what was written, and the next sync fails instead.
    case late
  }

  var action: Action
  /// The number of the call, from 1, among those that ``counts(_:)`` accepts.
  var call: Int

  /// The calls that are counted: those that change files, those that make changes durable, and openings.
  private static let counted = UInt32(CI_CALLS_CHANGING) | CI_CALL_OPEN.rawValue

  static func counts(_ call: LoggedCall) -> Bool { call.kind.bit & counted != 0 }

  /// Activates the plan for the calls of this process.
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
