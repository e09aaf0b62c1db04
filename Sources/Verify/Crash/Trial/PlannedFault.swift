import CStorageInstrument
import Foundation

/// A fault that a child process injects while it makes saves. The C module CStorageInstrument carries it out.
enum PlannedFault: Codable, Hashable {
  /// A fault in the store's system calls, such as a failed write. `number` counts the calls at which a fault can occur,
  /// from 1, since the moment `at`, such as in save 3. The store's first error ends the fault.
  case call(_ number: Int, Action, at: SavePosition)
  /// A kill of the process this many nanoseconds after the process begins to open the store.
  case killed(after: Int)
  /// A failing memory allocation of the engine's library. Number 1 is the first allocation in the save, opening or
  /// closing that `at` names. With `lasts`, all later ones fail, too, until the store throws its first error.
  case memory(allocation: Int, lasts: Bool, at: SavePosition)
  /// A full disk: at the moment `at`, such as before save 3, `room` bytes are left. The store's first error ends it.
  case disk(room: Int, at: SavePosition)

  enum Action: Codable, Hashable {
    /// A call that does nothing and returns this errno. The ``Aftermath`` is the file's content after a failed sync.
    case fail(Int32, Aftermath)
    case shorten
    /// A kill at a system call. A write still writes its first `bytes` bytes. Any other call is not carried out.
    case kill(bytes: Int)
    /// A full disk: all files of the store together can grow by only this many bytes.
    case fill(bytes: Int)

    func begin(at call: Int) {
      let (kind, error, aftermath, bytes): (ci_action, Int32, Aftermath, Int) =
        switch self {
        case .fail(let error, let aftermath): (CI_FAIL, error, aftermath, 0)
        case .shorten: (CI_SHORTEN, 0, .kept, 0)
        case .kill(let bytes): (CI_KILL, 0, .kept, bytes)
        case .fill(let bytes): (CI_FILL, ENOSPC, .kept, bytes)
        }
      var fault = ci_fault(
        calls: PlannedFault.counted, action: kind.rawValue, error: error, aftermath: aftermath.value,
        first: UInt64(call), count: 1, bytes: UInt64(bytes), delay: 0)
      ci_set_fault(&fault)
    }
  }

  /// The content of a file after a failed sync of the file.
  enum Aftermath: String, Codable, CaseIterable {
    /// The file keeps the bytes that were written before the failed sync.
    case kept
    /// The failed sync discards the new bytes. The file again has the content that it had at its last successful sync.
    case reverted
    /// The sync succeeds, and the next sync of the file fails instead. The file keeps its new bytes.
    case late

    fileprivate var value: UInt32 {
      switch self {
      case .kept: CI_KEPT.rawValue
      case .reverted: CI_REVERTED.rawValue
      case .late: CI_LATE.rawValue
      }
    }
  }

  /// The kinds of system calls at which a fault can occur, as a set of bits.
  private static let counted = UInt32(CI_CALLS_CHANGING) | CI_CALL_OPEN.rawValue

  static func counts(_ call: LoggedCall) -> Bool { call.kind.bit & counted != 0 }

  var isFatal: Bool {
    switch self {
    case .call(_, .kill, at: _), .killed: true
    case .call, .memory, .disk: false
    }
  }

  /// Whether the store is on a separate small file system, which the fault fills.
  var fillsDisk: Bool { if case .disk = self { true } else { false } }

  func sentence(_ point: Rehearsal.Point?) -> String {
    switch self {
    case .call(let number, let action, at: let position):
      let call = "call \(number) \(position.sentence)" + (point.map { ", \($0.call.sentence)" } ?? "")
      switch action {
      case .fail(let error, let aftermath):
        let words = String(cString: strerror(error))
        guard point?.call.isSync == true, aftermath != .kept else { return "\(call), fails: \(words)." }
        return aftermath == .late
          ? "After \(call), the next sync of the file fails: \(words)."
          : "\(call), fails: \(words); the file then holds what the last sync had left."
      case .shorten: return "\(call), does half of it."
      case .kill(let bytes):
        return point?.call.kind == .write && bytes > 0
          ? "The process is killed in \(call), after \(bytes) bytes." : "The process is killed before \(call)."
      case .fill(let bytes): return "From \(position.phrase) on the disk has room for \(bytes) bytes more."
      }
    case .killed(let nanoseconds): return "The process is killed \(nanoseconds) ns after it began."
    case .memory(let allocation, let lasts, at: let position):
      return lasts
        ? "From allocation \(allocation) of the engine \(position.sentence) on, it gets no more memory."
        : "Allocation \(allocation) of the engine \(position.sentence) fails."
    case .disk(let room, at: let position):
      return "From \(position.phrase) on its own file system has \(room) bytes left."
    }
  }
}
