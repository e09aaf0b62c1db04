import CStorageInstrument
import Foundation

/// A fault in the suite's own files. OWN_FAULT=kill:N kills this process at its N-th call that changes anything in the
/// working directory; OWN_FAULT=fill:BYTES leaves space for that many bytes there. Child processes, such as those of
/// trials, are not affected.
enum OwnFault {
  static func arm() {
    guard let text = ProcessInfo.processInfo.environment["OWN_FAULT"] else { return }
    unsetenv("OWN_FAULT")
    let parts = text.split(separator: ":")
    guard parts.count == 2, let number = UInt64(parts[1]) else { fatalError("OWN_FAULT is kill:N or fill:BYTES") }
    var fault = ci_fault()
    fault.calls = UInt32(CI_CALLS_CHANGING)
    fault.error = ENOSPC
    if parts[0] == "kill" {
      fault.action = CI_KILL.rawValue
      fault.first = number
    } else {
      fault.action = CI_FILL.rawValue
      fault.bytes = number
    }
    ci_begin(FileManager.default.currentDirectoryPath)
    guard ci_watch(nil, 0) == 0 else { fatalError("calls cannot be watched") }
    ci_set_fault(&fault)
  }
}
