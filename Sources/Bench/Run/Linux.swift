import CStorageInstrument
import Foundation

/// What Linux tells in /proc and /sys. The one Swift file, beside CInstrument, that knows this system.
enum Linux {
  /// A directory in memory that every system has.
  static let sharedMemory = "/dev/shm"

  /// A file's text, without the line's end at its end.
  static func text(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func value(_ key: String, in text: String) -> String? {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if parts.count == 2, parts[0] == key { return parts[1] }
    }
    return nil
  }

  /// The processor's name.
  static var processor: String? {
    text("/proc/cpuinfo").flatMap { value("model name", in: $0) ?? value("Hardware", in: $0) }
  }

  /// Memory in bytes.
  static var memory: Int? { memory("MemTotal") }

  /// Memory in bytes that can be had without swapping.
  static var availableMemory: Int? { memory("MemAvailable") }

  private static func memory(_ key: String) -> Int? {
    text("/proc/meminfo").flatMap { value(key, in: $0) }
      .flatMap { Int($0.split(separator: " ").first ?? "") }.map { $0 * 1024 }
  }

  /// The kernel's release.
  static var kernel: String? { text("/proc/sys/kernel/osrelease") }

  /// The distribution's name.
  static var distribution: String? {
    text("/etc/os-release")?.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
      .map { $0.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
  }

  /// How the processor's clock is governed, where that can be seen.
  static var governor: String? { text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") }

  /// `no` on real hardware, else whose virtual machine this is; nil where that cannot be found out.
  ///
  /// The processor tells it by CPUID; where it cannot, the firmware's maker mostly does.
  static var virtualMachine: String? {
    var signature = [CChar](repeating: 0, count: 13)
    let answer = ci_hypervisor(&signature)
    if answer == 0 { return "no" }
    let names = [
      "KVMKVMKVM": "KVM", "Microsoft Hv": "Hyper-V", "VMwareVMware": "VMware", "XenVMMXenVMM": "Xen",
      "TCGTCGTCGTCG": "QEMU", "VBoxVBoxVBox": "VirtualBox", "bhyve bhyve": "bhyve", "ACRNACRNACRN": "ACRN",
    ]
    let text = String(decoding: signature.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .trimmingCharacters(in: .whitespaces)
    if answer > 0 { return names[text] ?? (text.isEmpty ? "yes" : text) }
    let makers = ["QEMU", "Amazon EC2", "Google", "Microsoft Corporation", "VMware, Inc.", "Xen", "Parallels"]
    return self.text("/sys/class/dmi/id/sys_vendor").flatMap { vendor in makers.first { vendor.hasPrefix($0) } }
  }

  /// The load of the last minute.
  static var load: Double? { text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) } }

  /// Processor time since boot, in ticks: what the hypervisor gave to others, and all.
  static var processorTicks: (steal: Double, all: Double)? {
    guard let line = text("/proc/stat")?.split(separator: "\n").first else { return nil }
    let ticks = line.split(separator: " ").dropFirst().compactMap { Double($0) }
    // Guests' time is contained in the first two.
    return ticks.count >= 8 ? (ticks[7], ticks.prefix(8).reduce(0, +)) : nil
  }

  /// The share of processor time since boot that the hypervisor gave to others, 0 to 1.
  static var steal: Double? { processorTicks.flatMap { $0.all > 0 ? $0.steal / $0.all : nil } }

  /// What the kernel has read and written for a process so far, in calls and in bytes, whatever they went to; nil where
  /// it is gone or may not be asked.
  static func traffic(of process: Int32) -> [UInt64]? {
    guard let text = text("/proc/\(process)/io") else { return nil }
    return ["rchar", "wchar", "syscr", "syscw"].compactMap { value($0, in: text).flatMap { UInt64($0) } }
  }

  /// A mounted file system.
  struct Mount {
    var point: String
    var type: String
    var device: String
    var options: String
  }

  /// The mount that a path lies on: the one with the longest mount point above it.
  static func mount(of path: String) -> Mount? {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let mounts = (text("/proc/self/mounts") ?? "").split(separator: "\n").compactMap { line -> Mount? in
      let fields = line.split(separator: " ").map(String.init)
      guard fields.count >= 4 else { return nil }
      // Spaces in paths are written as \040, see fstab(5).
      let point = fields[1].replacingOccurrences(of: "\\040", with: " ")
      return Mount(point: point, type: fields[2], device: fields[0], options: fields[3])
    }
    return mounts.filter { $0.point == "/" || path == $0.point || path.hasPrefix($0.point + "/") }
      // Of two mounts at one point the later hides the earlier.
      .enumerated().max { ($0.element.point.count, $0.offset) < ($1.element.point.count, $1.offset) }?.element
  }

  /// The type of the file system that a path lies on: as mounted or, in a chroot, where mounts are not told, by the
  /// number of statfs(2).
  static func fileSystem(of path: String) -> String? {
    if let type = mount(of: path)?.type { return type }
    let names: [UInt64: String] = [
      0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0x794C_7630: "overlay", 0x0102_1994: "tmpfs",
      0x2FC1_2FC1: "zfs", 0x6969: "nfs",
    ]
    return names[ci_filesystem_type(nearestExisting(path))]
  }

  /// Whether the nearest existing directory of a path lies in memory, on a tmpfs or ramfs.
  static func isRAMDisk(_ path: String) -> Bool {
    let type = ci_filesystem_type(nearestExisting(path))
    // TMPFS_MAGIC and RAMFS_MAGIC of statfs(2).
    return type == 0x0102_1994 || type == 0x8584_58F6
  }

  /// Whether a path lies on a file system that is mounted for reading only: root passes every permission.
  static func isReadOnly(_ path: String) -> Bool {
    mount(of: path)?.options.split(separator: ",").contains("ro") ?? false
  }

  /// The nearest directory above a path, itself included, that is there.
  static func nearestExisting(_ path: String) -> String {
    var url = URL(fileURLWithPath: path)
    while !FileManager.default.fileExists(atPath: url.path), url.path != "/" { url.deleteLastPathComponent() }
    return url.path
  }
}
