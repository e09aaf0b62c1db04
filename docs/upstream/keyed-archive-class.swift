// A keyed archive of ["a"] in which one flipped bit makes the array's class lead to "a", and a whole one of a URL.
import Foundation

if CommandLine.arguments.count > 1 {
  let text = """
    YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRBcmNoaXZlctEICVRyb290
    gAGkCwwSE1UkbnVsbNINDg8RWk5TLm9iamVjdHNWJGNsYXNzoRCAAoADUWHSFBUWF1okY2xhc3NuYW1lWCRjbGFzc2VzV05TQXJyYXmiGBlX
    TlNBcnJheVhOU09iamVjdAgRGiQpMjdJTFFTWF5jbnV3eXt9go2WnqGpAAAAAAAAAQEAAAAAAAAAGgAAAAAAAAAAAAAAAAAAALI=
    """
  var archive = Data(base64Encoded: text, options: .ignoreUnknownCharacters)!
  archive[87] ^= 1  // "$class" was UID 3, the description of NSArray, and becomes UID 2.
  if CommandLine.arguments[1] == "URL" {
    archive = try NSKeyedArchiver.archivedData(withRootObject: NSURL(string: "a:b")!, requiringSecureCoding: true)
  }
  _ = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, NSString.self], from: archive)
  exit(0)
}
let endings = try ["damaged", "URL"].map { archive in
  let child = Process()
  child.executableURL = URL(fileURLWithPath: "/proc/self/exe")
  (child.arguments, child.standardError) = ([archive], FileHandle.nullDevice)
  try child.run()
  child.waitUntilExit()
  return child.terminationReason == .uncaughtSignal ? "signal \(child.terminationStatus)" : "none"
}
print("expected: both archives end in an error that is thrown")
print("observed: signals that end the process, damaged: \(endings[0]), of another class: \(endings[1])")
exit(endings == ["none", "none"] ? 0 : 1)
