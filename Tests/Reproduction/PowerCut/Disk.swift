import Foundation

/// A file system in an image file, mounted through a loop device.
struct Disk {
  let kind: String
  let image: String
  let mount: String

  /// Every kind that is looked at, with the size of its image in MiB: the least that its mkfs takes, and some more.
  static let kinds: [(name: String, size: Int)] = [("ext4", 64), ("xfs", 320), ("btrfs", 256)]

  /// Makes a new one and mounts it.
  init(_ kind: String, in directory: String) throws {
    self.kind = kind
    image = "\(directory)/\(kind).img"
    mount = "\(directory)/\(kind)"
    let size = Self.kinds.first { $0.name == kind }?.size ?? 256
    try? FileManager.default.removeItem(atPath: image)
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
    try command("truncate", "-s", "\(size)M", image)
    try command("mkfs.\(kind)", kind == "ext4" ? "-Fq" : kind == "xfs" ? "-fq" : "-fq", image)
    try mountLoop(image, on: mount)
  }

  /// What every block that the file system has sent makes, and nothing of what is in memory: the power is gone, and
  /// this is the disk.
  func copy(to path: String) throws { try command("cp", "--sparse=always", image, path) }

  func end() {
    unmount(mount)
    try? FileManager.default.removeItem(atPath: image)
  }
}

/// Mounts an image for as long as the body takes.
func mounted<Value>(_ image: String, on place: String, _ body: () throws -> Value) throws -> Value {
  try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
  try mountLoop(image, on: place)
  defer { unmount(place) }
  return try body()
}

func mountLoop(_ image: String, on place: String) throws {
  do {
    try command("mount", "-o", "loop,nouuid", image, place)
  } catch {
    // Only xfs knows of that option, which lets it mount a copy beside the original.
    try command("mount", "-o", "loop", image, place)
  }
}

func unmount(_ place: String) { try? command("umount", place) }

@discardableResult
func command(_ words: String...) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = words
  let (output, errors) = (Pipe(), Pipe())
  (process.standardOutput, process.standardError) = (output, errors)
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw Refusal(sentence: "\(words.joined(separator: " ")): \(complaint.split(separator: "\n").last ?? "failed")")
  }
  return text
}
