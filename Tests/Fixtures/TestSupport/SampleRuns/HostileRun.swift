import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// The sample run with texts of others that are crafted to become active in a viewer.
enum HostileRun {
  /// All control characters, direction marks, and beginnings of markup, links and commands.
  static let text: String = {
    let controls = [0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF...0xFEFF]
      .joined().compactMap(Unicode.Scalar.init)
    return "x\(String(String.UnicodeScalarView(controls)))<script>alert(1)</script><img src=x onerror=alert(2)>"
      + "]]></title></style></script>\"' onmouseover=\"alert(3)\" `a|b` |\u{301} \\| [x](javascript:alert(4)) ![y](z) "
      + "https://a.example <!-- \n::error title=q::z\r\n##[error]z ##vso[task.x]y\r::stop-commands::z %0A"
  }()

  /// That text, and others that begin like a formula, a command or a Markdown block.
  static let texts = [
    text,
    "=cmd|x", "+1+cmd", "-2+cmd", "@SUM(1)", "\t=1", "\r=1", "\n=1", "\u{FF1D}1", "::error::x", "##[error]x", "# x",
    "```x",
    "| a | b |", "- x", "1. x", "    x", "---", "%x",
  ]

  /// Writes a run in which every text that may come from others is the given one.
  static func write(_ text: String) throws -> URL {
    var (plan, trials, environment) = (SampleRun.plan, SampleRun.trials, SampleRun.environment)
    plan.label = text
    plan.command += [text]
    (plan.dataset, plan.datasetHash, plan.datasetMap) = ("/\(text)", "1", [text])
    plan.datasetMapping = text
    for index in plan.cells.indices {
      plan.cells[index].engineVersion = text
      plan.cells[index].likeness = Resemblance(.optimistic, text, source: text)
      if let status = plan.cells[index].refusal?.status {
        plan.cells[index].refusal = .init(status: status, note: text)
      }
    }
    for index in trials.indices {
      trials[index].settings = text
      trials[index].findings = [Finding(text, 1)]
      trials[index].note = text
    }
    environment.warnings = [text]
    environment.system = environment.system.mapValues { _ in text }
    environment.storage = environment.storage.mapValues { _ in text }
    environment.engines = environment.engines.mapValues { _ in text }
    return try SampleRun.write(plan: plan, environment: environment, trials: trials)
  }
}
