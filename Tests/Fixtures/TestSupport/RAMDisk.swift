import Foundation

/// A RAM disk for the stores of crash tests and conformance checks, which take twice as long on a disk.
public enum RAMDisk {
  /// The path of a RAM disk with at least 1 GiB of free space; nil if this machine has none.
  public static let path: String? = {
    let path = "/dev/shm"
    var status = statvfs()
    guard access(path, W_OK) == 0, statvfs(path, &status) == 0 else { return nil }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 1 << 30 ? path : nil
  }()
}
