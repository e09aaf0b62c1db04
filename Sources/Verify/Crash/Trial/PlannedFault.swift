import Foundation

enum PlannedFault: Codable, Hashable {
  /// A fault in the store's system calls, such as a failed write. The fault begins at the moment `at`, such as in save
  /// 3, and ends with the store's first error.
  case calls(FaultPlan, at: SavePosition)
  /// A kill of the process this many nanoseconds after the process begins to open the store.
  case killed(after: Int)
  /// A fault in which memory allocations of the engine's library fail. The fault begins at the moment `at`, such as in
  /// save 3.
  case memory(MemoryPlan, at: SavePosition)
  /// A fault in which the disk gets full. At the moment `at`, such as before save 3, only `room` bytes are left. The
  /// store's first error ends the fault.
  case disk(room: Int, at: SavePosition)

  var isFatal: Bool {
    switch self {
    case .calls(let plan, at: _): if case .kill = plan.action { true } else { false }
    case .killed: true
    case .memory, .disk: false
    }
  }

  /// Whether the store is on a separate small file system, which the fault fills.
  var fillsDisk: Bool { if case .disk = self { true } else { false } }

  func sentence(_ point: Rehearsal.Point?) -> String {
    switch self {
    case .calls(let plan, at: let position):
      let call = "call \(plan.call) \(position.sentence)" + (point.map { ", \($0.call.sentence)" } ?? "")
      switch plan.action {
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
    case .memory(let plan, at: let position):
      return plan.lasts
        ? "From allocation \(plan.allocation) of the engine \(position.sentence) on, it gets no more memory."
        : "Allocation \(plan.allocation) of the engine \(position.sentence) fails."
    case .disk(let room, at: let position):
      return "From \(position.phrase) on its own file system has \(room) bytes left."
    }
  }
}
