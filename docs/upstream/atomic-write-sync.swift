// The calls of Data.write(to:options: .atomic), as strace sees them.
import Foundation

if CommandLine.arguments.count > 1 {
  try Data("text".utf8).write(to: URL(fileURLWithPath: CommandLine.arguments[1]), options: .atomic)
  exit(0)
}
let directory = NSTemporaryDirectory() + "/atomic-write-\(getpid())"
try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
let tracer = Process()
tracer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
tracer.arguments =
  ["strace", "-f", "-o", directory + "/log", "-e", "trace=/^(fsync|fdatasync|sync.*|rename.*)$"]
  + ["/proc/\(getpid())/exe", directory + "/file"]
tracer.standardError = FileHandle.nullDevice
try tracer.run()
tracer.waitUntilExit()
let log = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
try FileManager.default.removeItem(atPath: directory)
let calls = log.split(separator: "\n").compactMap { $0.firstMatch(of: #/(\w+)\(/#).map { String($0.1) } }
guard let rename = calls.firstIndex(where: { $0.hasPrefix("rename") }) else {
  print("not tried: strace is missing, or may not trace")
  exit(2)
}
let isSynced = calls[rename...].contains { $0.contains("sync") }
print("expected: fsync of the file, rename, fsync of the directory")
print("observed: \(calls.joined(separator: ", "))")
exit(isSynced ? 0 : 1)
