import Foundation
import StorageContract
import StorageRunFiles

/// A file system in an image file, mounted through a loop device, so that the kernel counts the stores' writes
/// separately.
final class DeviceDisk: Sendable {
  let path: String
  let directory: OwnedDirectory
  private let image: String
  /// The file with the loop device's counts of reads and writes, such as `/sys/class/block/loop0/stat`; nil without a
  /// device.
  var counter: String? { Linux.requestCounter(of: path) }

  /// Creates a file system in an image file, and mounts the file in a subdirectory of `directory`.
  ///
  /// - Throws: ``ExitStatus/Failure`` for a missing program or permission; `FileWriteError` without enough space.
  init(_ kind: DeviceKind, in directory: OwnedDirectory) throws {
    (path, image) = ("\(directory.path)/device", "\(directory.path)/device.img")
    self.directory = directory
    try directory.makeDirectory(path)
    try attempt {
      let free = Linux.freeBytes(directory.path) ?? 0
      let size = min(free / 4 * 3, Self.largest) >> 20
      guard size >= Self.smallest >> 20 else {
        throw FileWriteError(
          path: directory.path, reason: "no space for --device, which needs \(Quantity.size(Self.leastFree)) free",
          advice: "free some space, or give --scratch another directory")
      }
      // The file has holes: it takes only as much space as is written to it.
      try Self.command(["truncate", "-s", "\(size)M", image])
      try Self.command(Self.make(kind) + [image])
      try Self.command(["mount", "-o", "loop", image, path])
      guard let counter, access(counter, R_OK) == 0 else {
        throw ExitStatus.Failure(
          ExitStatus.unavailable, "--device cannot read the loop device's counter in /sys; leave --device out")
      }
    } undo: {
      close()
    }
  }

  private static let smallest = 512 << 20
  /// The minimum free space for an image file, in bytes. Three quarters of this space are enough for the smallest
  /// image.
  static let leastFree = ((4 * (smallest >> 20) + 2) / 3) << 20
  private static let largest = 16 << 30

  /// Returns the command that makes the file system. ext4 is initialized at once, not later by the kernel during
  /// measurements.
  private static func make(_ kind: DeviceKind) -> [String] {
    let now = ["-E", "lazy_itable_init=0,lazy_journal_init=0"]
    return switch kind {
    case .ext4: ["mkfs.ext4", "-Fq"] + now
    case .ext4NoJournal: ["mkfs.ext4", "-Fq", "-O", "^has_journal"] + now
    case .xfs: ["mkfs.xfs", "-fq"]
    case .btrfs: ["mkfs.btrfs", "-fq"]
    }
  }

  func close() {
    // A lazy unmount works even while a file, such as that of the probes, is still open.
    if isMounted { try? Self.command(["umount", "--lazy", path]) }
    // A file system that could not be unmounted ends with the namespace, and must not be emptied.
    guard !isMounted else { return }
    for name in [path, image] { directory.remove(name) }
  }

  private var isMounted: Bool { Linux.mount(of: path)?.point == path }

  /// The environment variable that marks a process in a separate mount namespace.
  private static let marker = "STORAGE_BENCH_NAMESPACE"

  /// Restarts the program in a separate mount namespace, if it is not in one already.
  ///
  /// - Throws: ``ExitStatus/Failure`` without the permission to mount a file system.
  static func enterNamespace() throws {
    guard ProcessInfo.processInfo.environment[marker] == nil else { return }
    guard geteuid() == 0 else {
      throw ExitStatus.Failure(
        ExitStatus.unavailable, "--device mounts an image file, which only root may do; use sudo, or leave it out")
    }
    let namespace = ["unshare", "--mount", "--propagation", "private"]
    // In a container, root may lack the right to unshare.
    try command(namespace + ["true"])
    let words = namespace + ["env", "\(marker)=1", ProcessInfo.executable] + CommandLine.arguments.dropFirst()
    let arguments = words.map { strdup($0) } + [nil]
    execvp("unshare", arguments)
    arguments.forEach { free($0) }
    throw ExitStatus.Failure(
      ExitStatus.unavailable,
      "--device cannot restart \(ProcessInfo.executable) in a separate mount namespace; leave --device out")
  }

  private static func command(_ words: [String]) throws {
    let process = try SpawnedProcess(["/usr/bin/env"] + words, streams: [1: .pipe, 2: .pipe])
    let errors = String(decoding: try process.readAll().errors, as: UTF8.self)
    switch process.wait() {
    case .exited(0): return
    case .exited(127):
      let package = ["mkfs.ext4": "e2fsprogs", "mkfs.xfs": "xfsprogs", "mkfs.btrfs": "btrfs-progs"][words[0]]
      throw ExitStatus.Failure(
        ExitStatus.unavailable, "--device needs the program \(words[0]); install \(package ?? "util-linux")")
    default:
      let reason = errors.split(separator: "\n").last.map(String.init) ?? "it failed"
      throw ExitStatus.Failure(
        ExitStatus.unavailable,
        "--device cannot make and mount an image here (\(reason.visible)); leave it out, or run it where root may mount"
      )
    }
  }
}
