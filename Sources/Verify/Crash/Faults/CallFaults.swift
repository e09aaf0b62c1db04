import Foundation
import StorageContract

/// A fault that hits one system call while a process makes saves. Conforming types define the calls that may be hit.
protocol CallFault: SavingFault {
  static var action: PlannedFault.Action { get }
  static func canHit(_ call: LoggedCall) -> Bool
}

extension CallFault {
  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    return rehearsal.drawn(&random) { canHit($0.call) }.prefix(count).map { $0.crashCase(id) }
  }

  static func plan(_ crashCase: CrashCase) throws -> PlannedFault { try crashCase.call(action) }
}

/// A system call that fails once with an input/output error of the device (EIO).
struct FailedCallFault: CallFault {
  static let id = "eio"
  static let summary = "a write, opening, sync, rename or any other call fails once with an input/output error"
  static let action = PlannedFault.Action.fail(EIO, .kept)

  static func canHit(_ call: LoggedCall) -> Bool { true }

  // A store that may crash on a full disk may crash on any failed write.
  static func rules(_ subject: CheckedBackend, _ crashCase: CrashCase) -> SavingJudge.Rules {
    SavingJudge.Rules(mustGoOn: false, mayCrash: subject.deviates(from: .fullDisk))
  }
}

/// A system call that a signal interrupts (EINTR) before the call has done anything. The store may repeat the call.
struct InterruptedCallFault: CallFault {
  static let id = "eintr"
  static let summary = "a call is interrupted once by a signal, and has done nothing"
  static let action = PlannedFault.Action.fail(EINTR, .kept)

  // The manual pages list EINTR for these calls, but not for rename and unlink.
  static func canHit(_ call: LoggedCall) -> Bool {
    [.open, .create, .write, .truncate, .allocate, .sync, .syncDirectory].contains(call.kind)
  }

  static func rules(_ subject: CheckedBackend, _ crashCase: CrashCase) -> SavingJudge.Rules { SavingJudge.Rules() }
}

/// A short write: a system call that writes half of the requested bytes and returns their number.
struct ShortWriteFault: CallFault {
  static let id = "short-write"
  static let summary = "a write stops halfway, once"
  static let action = PlannedFault.Action.shorten

  static func canHit(_ call: LoggedCall) -> Bool { call.kind == .write && call.length >= 2 }

  static func rules(_ subject: CheckedBackend, _ crashCase: CrashCase) -> SavingJudge.Rules {
    SavingJudge.Rules(mustGoOn: false, mayTear: subject.deviates(from: .shortWrites))
  }
}
