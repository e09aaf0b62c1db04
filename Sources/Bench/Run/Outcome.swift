import Foundation
import StorageReport

extension LaunchOutcome {
  /// What went wrong, in words; empty for an answer without a failure.
  func sentence(limit: Int64) -> String {
    switch self {
    case .answered(let response): response.failure ?? ""
    case .killed(let signal): "killed by \(Self.name(of: signal))"
    case .exited(let code, let errors):
      "ended with exit code \(code) and no answer" + (Self.lastLine(errors).map { ": \($0)" } ?? "")
    case .exceededLimit:
      "took longer than the limit of \(NumberFormat.time(Double(limit))) and was killed; a higher --cell-limit gives it more"
    }
  }

  private static func lastLine(_ text: String) -> String? {
    text.split(whereSeparator: \.isNewline).last.map { String($0.prefix(200)) }
  }

  private static func name(of signal: Int32) -> String {
    let names: [Int32: String] = [
      SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL", SIGKILL: "SIGKILL",
      SIGSEGV: "SIGSEGV", SIGTERM: "SIGTERM", SIGTRAP: "SIGTRAP", SIGXFSZ: "SIGXFSZ",
    ]
    return names[signal].map { "signal \(signal) (\($0))" } ?? "signal \(signal)"
  }
}
