// UserDefaults and two keys that are equal in Swift but have different scalars, set before one synchronize().
import Foundation

if CommandLine.arguments.count > 1 {
  let defaults = UserDefaults(suiteName: "demo")!
  let keys = ["e\u{301}", "\u{e9}"]
  for (index, key) in keys.enumerated() { defaults.set(index + 1, forKey: key) }
  let before = keys.map { defaults.integer(forKey: $0) }
  let isSaved = defaults.synchronize()
  let after = keys.map { defaults.integer(forKey: $0) }
  print("expected: the values are the same after synchronize()")
  print("observed: the values \(before); synchronize() returns \(isSaved); then the values are \(after)")
  exit(isSaved && after.contains(0) ? 1 : 0)
}
let directory = NSTemporaryDirectory() + "/defaults-keys-\(getpid())"
try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
let child = Process()
child.executableURL = URL(fileURLWithPath: "/proc/self/exe")
child.arguments = ["set"]
child.environment = ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": directory]) { $1 }
try child.run()
child.waitUntilExit()
try FileManager.default.removeItem(atPath: directory)
exit(child.terminationStatus)
