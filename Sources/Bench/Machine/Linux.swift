import CStorageInstrument
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import SystemPackage

/// The system information that Linux offers in /proc and /sys.
enum Linux {
  static let sharedMemory = "/dev/shm"
  static let nullDevice = "/dev/null"

  static func text(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func value(_ key: String, in text: String) -> String? {
    text.split(separator: "\n").lazy
      .map { $0.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) } }
      .first { $0.count == 2 && $0[0] == key }?[1]
  }

  /// The properties of the system for ``MachineEnvironment``, by keys such as `cpu`. Unknown ones are missing.
  static var system: [String: String] {
    let facts = [
      "cores": String(ProcessInfo.processInfo.activeProcessorCount), "page size": String(sysconf(Int32(_SC_PAGESIZE))),
      "host": text("/proc/sys/kernel/hostname"),
      "cpu": text("/proc/cpuinfo").flatMap { value("model name", in: $0) ?? value("Hardware", in: $0) },
      "memory": memory("MemTotal").map { NumberFormat.bytes(Double($0)) }, "kernel": kernel,
      // The preemption model of the kernel, such as `PREEMPT_DYNAMIC`.
      "preemption": text("/proc/sys/kernel/version")?.split(separator: " ").first { $0.hasPrefix("PREEMPT") }
        .map(String.init),
      "os": text("/etc/os-release")?.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        .map { $0.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\"")) },
      "governor": text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), "virtual machine": virtualMachine,
      "timer tick": tick.map { NumberFormat.time(Double($0)) }, "load": load.map { String($0) },
      "steal": steal.map { String(format: "%.2f %%", $0 * 100) },
    ]
    return facts.compactMapValues(\.self)
  }

  /// Returns a number of bytes, such as `MemAvailable`, the memory that is available without swapping.
  static func memory(_ key: String) -> Int? {
    text("/proc/meminfo").flatMap { value(key, in: $0) }
      .flatMap { Int($0.split(separator: " ").first ?? "") }.map { $0 * 1024 }
  }

  static var kernel: String? { text("/proc/sys/kernel/osrelease") }

  /// The name of the hypervisor, such as `KVM`; `no` on real hardware; nil if unknown.
  private static var virtualMachine: String? {
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

  static var load: Double? { text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) } }

  /// The processor time since boot, in ticks: the whole time, and the time given to other virtual machines (`steal`).
  static var processorTicks: (steal: Double, all: Double)? {
    guard let line = text("/proc/stat")?.split(separator: "\n").first else { return nil }
    let ticks = line.split(separator: " ").dropFirst().compactMap { Double($0) }
    // The last two fields of the line, the time of guests, are already contained in user and nice: see proc(5).
    return ticks.count >= 8 ? (ticks[7], ticks.prefix(8).reduce(0, +)) : nil
  }

  /// The share of processor time since boot that the hypervisor gave to other machines, from 0 to 1.
  static var steal: Double? { processorTicks.flatMap { $0.all > 0 ? $0.steal / $0.all : nil } }

  /// Returns the bytes read, bytes written, read calls and write calls of a process; nil if its /proc file is
  /// unreadable.
  static func traffic(of process: Int32) -> [UInt64]? {
    guard let text = text("/proc/\(process)/io") else { return nil }
    return ["rchar", "wchar", "syscr", "syscw"].compactMap { value($0, in: text).flatMap { UInt64($0) } }
  }

  typealias Mount = (point: String, type: String, device: String, options: String)

  static func mount(of path: String) -> Mount? {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return mounts(text("/proc/self/mounts") ?? "")
      .filter { $0.point == "/" || path == $0.point || path.hasPrefix($0.point + "/") }
      // Of two mounts at one point, the later one hides the earlier one.
      .enumerated().max { ($0.element.point.count, $0.offset) < ($1.element.point.count, $1.offset) }?.element
  }

  fileprivate static func mounts(_ table: String) -> [Mount] {
    table.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ").map(String.init)
      // Spaces in paths are written as \040: see fstab(5).
      return fields.count < 4
        ? nil : (fields[1].replacingOccurrences(of: "\\040", with: " "), fields[2], fields[0], fields[3])
    }
  }

  /// Returns the path of the read and write counters of the loop device of `path`; nil if `path` is not on a loop
  /// device.
  static func requestCounter(of path: String) -> String? {
    guard let device = mount(of: path)?.device, device.hasPrefix("/dev/loop") else { return nil }
    return "/sys/class/block/\(device.dropFirst("/dev/".count))/stat"
  }

  static func fileSystemInWords(of path: String) -> String? {
    fileSystem(of: path).map { MachineEnvironment.fileSystem($0, disk(of: path)) }
  }

  /// Returns the type of the file system of a path, such as `ext4`; nil if unknown.
  static func fileSystem(of path: String) -> String? {
    if let type = mount(of: path)?.type { return type }
    let names: [UInt64: String] = [
      0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0x794C_7630: "overlay", 0x0102_1994: "tmpfs",
      0x2FC1_2FC1: "zfs", 0x6969: "nfs",
    ]
    return names[ci_filesystem_type(nearestExisting(path))]
  }

  /// Returns the known properties of the disk of `path`, by keys such as `journal`, `write cache` and `scheduler`.
  static func disk(of path: String) -> [String: String] {
    var status = stat()
    guard stat(nearestExisting(path), &status) == 0 else { return [:] }
    // glibc packs the major and minor numbers of a device like this: see makedev(3).
    let device = UInt64(status.st_dev)
    let major = (device >> 8) & 0xfff | (device >> 32) & ~0xfff
    let minor = device & 0xff | (device >> 12) & ~0xff
    let directory = URL(fileURLWithPath: "/sys/dev/block/\(major):\(minor)").resolvingSymlinksInPath()
    let isPartition = FileManager.default.fileExists(atPath: "\(directory.path)/partition")
    let whole = isPartition ? directory.deletingLastPathComponent() : directory
    var disk: [String: String] = [:]
    disk["journal"] = text("/sys/fs/ext4/\(directory.lastPathComponent)/journal_task").map {
      $0 == "<none>" ? "none" : "yes"
    }
    if disk["journal"] != nil { disk["features"] = Ext4Features.text(of: "/dev/\(directory.lastPathComponent)") }
    disk["options in effect"] = text("/proc/fs/ext4/\(directory.lastPathComponent)/options").map { lines in
      lines.split(separator: "\n").joined(separator: ",")
    }
    disk["write cache"] = text("\(whole.path)/queue/write_cache")
    disk["scheduler"] = text("\(whole.path)/queue/scheduler").map { line in
      // The active scheduler is in brackets.
      line.split(separator: " ").first { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) } ?? line
    }
    if text("\(whole.path)/loop/backing_file") != nil { disk["loop image"] = "yes" }
    return disk
  }

  /// The period of the kernel's timer tick in nanoseconds; nil if unknown.
  static var tick: Int64? {
    var resolution = timespec()
    guard clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) == 0 else { return nil }
    return Int64(resolution.tv_sec) * 1_000_000_000 + Int64(resolution.tv_nsec)
  }

  static func isRAMDisk(_ path: String) -> Bool {
    let type = ci_filesystem_type(nearestExisting(path))
    // TMPFS_MAGIC and RAMFS_MAGIC of statfs(2).
    return type == 0x0102_1994 || type == 0x8584_58F6
  }

  static func freeBytes(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
    return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
  }

  static func nearestExisting(_ path: String) -> String {
    var url = URL(fileURLWithPath: path)
    while !FileManager.default.fileExists(atPath: url.path), url.path != "/" { url.deleteLastPathComponent() }
    return url.path
  }
}

/// The Linux control groups (cgroups) with which this program limits the memory of processes.
struct MemoryGroups {
  let version: Int
  let root: String
  /// The directory of this program's own control group (cgroup).
  let own: String
  /// The directory in which this program creates control groups (cgroups).
  let parent: String

  /// Finds the control groups that can limit memory.
  ///
  /// - Throws: ``StoreError`` if the system has no such control group. The error says what to do.
  init(
    mounts: String = Linux.text("/proc/self/mounts") ?? "", membership: String = Linux.text("/proc/self/cgroup") ?? ""
  ) throws {
    let mounts = Linux.mounts(mounts)
    let groups = membership.split(separator: "\n").map {
      $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    }.filter { $0.count == 3 }
    func controllers(_ field: String) -> [Substring] { field.split(separator: ",") }
    func directory(_ group: String?, in root: String) -> String {
      let path = group.map { $0 == "/" ? root : root + $0 } ?? root
      return FileManager.default.fileExists(atPath: path) ? path : root
    }
    if let mount = mounts.first(where: { $0.type == "cgroup" && controllers($0.options).contains("memory") }) {
      (version, root) = (1, mount.point)
      own = directory(groups.first { controllers($0[1]).contains("memory") }?[2], in: root)
      parent = own
    } else if let mount = mounts.first(where: {
      $0.type == "cgroup2" && Self.words("\($0.point)/cgroup.controllers").contains("memory")
    }) {
      (version, root) = (2, mount.point)
      own = directory(groups.first { $0[0] == "0" }?[2], in: root)
      var above = own
      while !Self.words("\(above)/cgroup.subtree_control").contains("memory"), above.count > root.count {
        above = (above as NSString).deletingLastPathComponent
      }
      parent = above
    } else {
      throw StoreError.failed(
        "this system has no control groups for memory; start its kernel with cgroup_enable=memory, "
          + "or the container with --privileged")
    }
    guard version == 1 || Self.words("\(parent)/cgroup.subtree_control").contains("memory") else {
      throw StoreError.failed(
        "no control group of this process delegates the memory controller; "
          + "write +memory to \(root)/cgroup.subtree_control")
    }
  }

  /// The reason why this process cannot create a control group (cgroup) with a memory limit; nil if the process can.
  static let obstacle: String? = {
    do {
      try MemoryGroup(bytes: 1 << 20).remove()
      return nil
    } catch {
      return error.sentence
    }
  }()

  private static func words(_ path: String) -> [Substring] {
    Linux.text(path)?.split(whereSeparator: \.isWhitespace) ?? []
  }

  static let prefix = "storage-bench-"

  /// Returns whether `name` has the form of this program's control groups: `storage-bench-PID-RANDOM`. Other groups may
  /// belong to a service.
  private static func isName(_ name: String) -> Bool {
    let parts = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
    return name.hasPrefix(prefix) && parts.count == 2 && Int32(parts[0]) != nil
      && parts[1].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// Removes the control groups (cgroups) that killed processes of this program left behind. Groups in use are locked
  /// and stay.
  func removeLeftovers() {
    let paths = FileManager.default.enumerator(atPath: root)
    while let name = paths?.nextObject() as? String {
      let path = "\(root)/\(name)"
      guard Self.isName((name as NSString).lastPathComponent), let lock = Self.locked(path) else { continue }
      _ = rmdir(path)
      try? lock.close()
    }
  }

  fileprivate static func locked(_ path: String) -> FileDescriptor? {
    let options: FileDescriptor.OpenOptions = [.directory, .noFollow, .closeOnExec]
    guard let lock = try? FileDescriptor.open(FilePath(path), .readOnly, options: options) else { return nil }
    guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0, FileManager.default.fileExists(atPath: path) else {
      try? lock.close()
      return nil
    }
    return lock
  }
}

/// A Linux control group that limits the memory of one process, including cached file pages. A page counts for the
/// group that first touches it (cgroup-v2.rst), so a store must leave the page cache before the process opens the
/// store.
final class MemoryGroup: Sendable {
  let path: String
  private let groups: MemoryGroups
  private let lock: FileDescriptor

  private static let clean: Void = { try? MemoryGroups().removeLeftovers() }()

  /// Creates a control group with a memory limit in bytes and without swap. ``remove()`` deletes the group.
  ///
  /// - Throws: ``StoreError`` if the system does not allow such a group. The error says what to do.
  init(bytes: Int, in groups: MemoryGroups? = nil) throws {
    _ = Self.clean
    self.groups = try groups ?? MemoryGroups()
    (path, lock) = try Self.make(in: self.groups.parent)
    try attempt {
      switch self.groups.version {
      case 1:
        // The memory limit is set first, because the limit of memory and swap together must not be lower.
        try set("memory.limit_in_bytes", bytes)
        try set("memory.memsw.limit_in_bytes", bytes, isOptional: true)
        try set("memory.swappiness", 0, isOptional: true)
      default:
        try set("memory.max", bytes)
        try set("memory.swap.max", 0, isOptional: true)
      }
    } undo: {
      remove()
    }
  }

  private static func make(in parent: String) throws -> (String, FileDescriptor) {
    // Another process may remove the new group as a leftover before it is locked.
    for _ in 0..<8 {
      let path = "\(parent)/\(MemoryGroups.prefix)\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
      guard mkdir(path, 0o755) == 0 else {
        throw StoreError.failed(
          "no control group can be made in \(parent): \(String(cString: strerror(errno))); run as root, "
            + "or start the container with --privileged")
      }
      if let lock = MemoryGroups.locked(path) { return (path, lock) }
    }
    throw StoreError.failed(
      "each of 8 new control groups in \(parent) was removed or locked by another process, such as a second "
        + "storage-bench; try again when that process has ended")
  }

  private func set(_ name: String, _ value: Int, isOptional: Bool = false) throws {
    do {
      let file = try FileDescriptor.open(FilePath("\(path)/\(name)"), .writeOnly, options: .closeOnExec)
      try file.closeAfter { _ = try file.writeAll("\(value)".utf8) }
    } catch {
      // Without swap accounting, the kernel has no file for the swap limit.
      if isOptional { return }
      throw StoreError.failed("the memory of a control group cannot be limited: \(path)/\(name): \(error); run as root")
    }
  }

  var processes: String { "\(path)/cgroup.procs" }
  /// The path of the file to which a process writes its id to leave this control group.
  var outside: String { "\(groups.own)/cgroup.procs" }

  var kills: Int {
    let text = Linux.text("\(path)/\(groups.version == 1 ? "memory.oom_control" : "memory.events")") ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
    return line.flatMap { Int($0.dropFirst("oom_kill ".count)) } ?? 0
  }

  func remove() {
    // A killed process leaves its group only after a short delay.
    for _ in 0...200 {
      guard rmdir(path) != 0, errno == EBUSY else { break }
      for process in Linux.text(processes)?.split(separator: "\n").compactMap({ Int32($0) }) ?? [] where process > 0 {
        kill(process, SIGKILL)
      }
      usleep(10_000)
    }
    try? lock.close()
  }
}
