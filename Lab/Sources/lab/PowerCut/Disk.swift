import Foundation
import StorageContract

/// A kind of file system to test.
struct DiskKind: Equatable, Sendable {
  let name: String
  /// The size of the image in MiB, somewhat more than the minimum of its mkfs.
  let size: Int
  /// The command that creates the file system, and the one that repairs it after a power cut if mounting does not.
  let make: [String]
  var check: [String]?
  /// The model that must allow every state left by a cut; nil for any model.
  var model: String?
  /// Whether the shutdown ioctl discards unwritten blocks. Without a journal, unmounting writes them.
  var canShutDown = true

  static let all = [
    DiskKind(name: "ext4", size: 64, make: ["mkfs.ext4", "-Fq"], model: "ext4-like"),
    DiskKind(
      name: "ext4-no-journal", size: 64, make: ["mkfs.ext4", "-Fq", "-b", "4096", "-O", "^has_journal"],
      check: ["e2fsck", "-fy"], model: "ext4-no-journal", canShutDown: false),
    DiskKind(name: "xfs", size: 320, make: ["mkfs.xfs", "-fq"]),
    DiskKind(name: "btrfs", size: 256, make: ["mkfs.btrfs", "-fq"], canShutDown: false),
  ]

  /// Returns whether a state is not allowed by the required model.
  func isOutside(_ models: [String]) -> Bool { model.map { !models.contains($0) } ?? models.isEmpty }
}

/// A file system in an image file, mounted through a loop device.
struct Disk {
  let kind: DiskKind
  let image: String
  let mount: String

  /// Creates a new file system and mounts it.
  init(_ kind: DiskKind, in directory: String) throws {
    self.kind = kind
    image = "\(directory)/\(kind.name).img"
    mount = "\(directory)/\(kind.name)"
    try? FileManager.default.removeItem(atPath: image)
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
    try command("truncate", "-s", "\(kind.size)M", image)
    try command(kind.make + [image])
    try mountLoop(image, on: mount)
  }

  /// Copies every block that the file system has written, without the data in memory. The copy is the disk after a
  /// power cut.
  func copy(to path: String) throws { try command("cp", "--sparse=always", image, path) }

  func end() {
    unmount(mount)
    try? FileManager.default.removeItem(atPath: image)
  }
}

/// Checks an image as a machine does after a power cut, and mounts it while the body runs.
func mounted<Value>(
  _ image: String, _ kind: DiskKind, on directory: String, _ body: () throws -> Value
) throws -> Value {
  // Exit code 1 means that errors were found and repaired.
  if let check = kind.check { try command(check + [image], allowing: [0, 1]) }
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  try mountLoop(image, on: directory)
  defer { unmount(directory) }
  return try body()
}

func mountLoop(_ image: String, on directory: String) throws {
  do {
    try command("mount", "-o", "loop,nouuid", image, directory)
  } catch {
    // Only xfs has that option, which lets it mount a copy beside the original.
    try command("mount", "-o", "loop", image, directory)
  }
}

func unmount(_ directory: String) { _ = try? command("umount", directory) }

@discardableResult
func command(_ words: String...) throws -> String { try command(words) }

@discardableResult
func command(_ words: [String], allowing allowed: Set<Int32> = [0]) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = words
  let (output, errors) = (Pipe(), Pipe())
  (process.standardOutput, process.standardError) = (output, errors)
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  guard allowed.contains(process.terminationStatus) else {
    throw StoreError.failed("\(words.joined(separator: " ")): \(complaint.split(separator: "\n").last ?? "failed")")
  }
  return text
}
