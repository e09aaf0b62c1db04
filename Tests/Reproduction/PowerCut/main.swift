import Foundation

// Cuts the power of real file systems, as far as that can be done without hardware, and looks whether the models of
// crashtest allow what is then there: scripts/power-cut.

do {
  switch CommandLine.arguments.dropFirst().first {
  case "save"?: try Saver(Array(CommandLine.arguments.dropFirst(2))).run()
  case "read"?: try Reader(Array(CommandLine.arguments.dropFirst(2))).run()
  default: try PowerCutStudy(Array(CommandLine.arguments.dropFirst())).run()
  }
} catch let refusal as Refusal {
  FileHandle.standardError.write(Data("scripts/power-cut: \(refusal.sentence)\n".utf8))
  exit(refusal.status)
} catch {
  FileHandle.standardError.write(Data("scripts/power-cut: \(error)\n".utf8))
  exit(74)
}

/// Why the study ends, and with which exit code.
struct Refusal: Error {
  let sentence: String
  var status: Int32 = 74
}
