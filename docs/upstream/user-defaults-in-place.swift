// UserDefaults: a save that fails, and a save into a damaged file. A child process makes each save.
import Foundation

if CommandLine.arguments.count > 1 {
  let defaults = UserDefaults(suiteName: "demo")!
  defaults.set(1, forKey: CommandLine.arguments[1])
  exit(defaults.synchronize() ? 0 : 1)
}
let directory = NSTemporaryDirectory() + "/defaults-\(getpid())"
try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
let file = URL(fileURLWithPath: directory + "/demo.plist")
func save(_ key: String, after command: String = "") throws -> Bool {
  let child = Process()
  child.executableURL = URL(fileURLWithPath: "/bin/sh")
  child.arguments = ["-c", "\(command) exec \"$0\" \"$1\"", "/proc/\(getpid())/exe", key]
  child.environment = ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": directory]) { $1 }
  try child.run()
  child.waitUntilExit()
  return child.terminationStatus == 0
}
// No file may have a byte: a full disk.
let saved = try [save("first"), save("second", after: "trap '' XFSZ; ulimit -f 0;")]
let length = try Data(contentsOf: file).count
try Data("<plist><dict><key>fir".utf8).write(to: file)
let isOverwritten = try save("third") && !String(contentsOf: file, encoding: .utf8).contains("fir")
try FileManager.default.removeItem(atPath: directory)
print("expected: a failed save leaves the file alone; a damaged file is not overwritten")
print("observed: saves \(saved) leave \(length) bytes; a damaged file is\(isOverwritten ? "" : " not") overwritten")
exit(length == 0 || isOverwritten ? 1 : 0)
