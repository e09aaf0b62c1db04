// A binary property list whose dictionary became a set by one flipped bit.
import Foundation

if CommandLine.arguments.count > 1 {
  var list = try PropertyListSerialization.data(fromPropertyList: ["a": "b"], format: .binary, options: 0)
  // 0xD1 begins a dictionary with one key, 0xC1 a set with one member.
  list[8] ^= 0x10
  _ = try? PropertyListSerialization.propertyList(from: list, options: [], format: nil)
  exit(0)
}
let child = Process()
child.executableURL = URL(fileURLWithPath: "/proc/self/exe")
(child.arguments, child.standardError) = (["read"], FileHandle.nullDevice)
try child.run()
child.waitUntilExit()
let isEnded = child.terminationReason == .uncaughtSignal
print("expected: an error is thrown, or a set returned")
print("observed: " + (isEnded ? "signal \(child.terminationStatus) ends the process" : "the process goes on"))
exit(isEnded ? 1 : 0)
