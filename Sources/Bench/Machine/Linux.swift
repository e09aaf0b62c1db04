import CStorageInstrument
import Foundation
import StorageContract
import StorageRunFiles
import SystemPackage

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

  /// The machine's own name.
  static var host: String? { text("/proc/sys/kernel/hostname") }

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

  /// The file system that a path lies on, in words; see ``MachineEnvironment/fileSystem``.
  static func fileSystemInWords(of path: String) -> String? {
    fileSystem(of: path).map { MachineEnvironment.fileSystem($0, disk(of: path)) }
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

  /// What the kernel tells of a path's disk: `journal` (of ext3 and ext4: yes or none), `write cache`, `scheduler`, and
  /// `loop image` (yes) where the disk is a file on another one. What it does not tell is absent, as in a container.
  static func disk(of path: String) -> [String: String] {
    var status = stat()
    guard stat(nearestExisting(path), &status) == 0 else { return [:] }
    // The numbers of a device as glibc packs them, makedev(3).
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
    disk["write cache"] = text("\(whole.path)/queue/write_cache")
    disk["scheduler"] = text("\(whole.path)/queue/scheduler").map { line in
      // The one in use stands in brackets.
      line.split(separator: " ").first { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) } ?? line
    }
    if text("\(whole.path)/loop/backing_file") != nil { disk["loop image"] = "yes" }
    return disk
  }

  /// Nanoseconds between two ticks of the kernel's timer, by which it shares out processors; nil where it does not tell.
  static var tick: Int64? {
    var resolution = timespec()
    guard clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) == 0 else { return nil }
    return Int64(resolution.tv_sec) * 1_000_000_000 + Int64(resolution.tv_nsec)
  }

  /// Whether the nearest existing directory of a path lies in memory, on a tmpfs or ramfs.
  static func isRAMDisk(_ path: String) -> Bool {
    let type = ci_filesystem_type(nearestExisting(path))
    // TMPFS_MAGIC and RAMFS_MAGIC of statfs(2).
    return type == 0x0102_1994 || type == 0x8584_58F6
  }

  /// The bytes that may still be written at a path, or nil where nobody tells.
  static func freeBytes(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
    return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
  }

  /// The nearest directory above a path, itself included, that is there.
  static func nearestExisting(_ path: String) -> String {
    var url = URL(fileURLWithPath: path)
    while !FileManager.default.fileExists(atPath: url.path), url.path != "/" { url.deleteLastPathComponent() }
    return url.path
  }
}

/// The limits below which Foundation and Dispatch trap or hang.
enum ProcessLimits {
  /// Files that are open at once, with room for a workload of many connections.
  private static let files: rlim_t = 64
  /// Threads of this process, and of a few children.
  private static let threads = 24

  /// Sees to the standard streams and the limits, before anything else is done.
  ///
  /// - Returns: A sentence about the limit that is too low, or nil.
  static func obstacle() -> String? {
    reserveStandardStreams()
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < files {
      limit.rlim_cur = min(files, limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      if limit.rlim_cur < files {
        return "only \(limit.rlim_cur) files can be open at once; allow \(files) or more: ulimit -n \(files)"
      }
    }
    return canStartThreads() ? nil : "fewer than \(threads) more threads and processes can be started; raise ulimit -u"
  }

  /// Opens what was closed: a file that is opened later would else have the number of a stream, and what is printed would
  /// be written into it. What is opened here cannot be written, so that printing fails as it should.
  private static func reserveStandardStreams() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDONLY) }
  }

  /// Starts threads that do nothing, all at once.
  private static func canStartThreads() -> Bool {
    var started: [pthread_t] = []
    var gate = pthread_mutex_t()
    pthread_mutex_init(&gate, nil)
    pthread_mutex_lock(&gate)
    defer {
      pthread_mutex_unlock(&gate)
      for thread in started { pthread_join(thread, nil) }
      pthread_mutex_destroy(&gate)
    }
    return withUnsafeMutablePointer(to: &gate) { gate in
      for _ in 0..<threads {
        var thread = pthread_t()
        let error = pthread_create(
          &thread, nil,
          { gate in
            let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self)
            guard let gate else { return nil }
            pthread_mutex_lock(gate)
            pthread_mutex_unlock(gate)
            return nil
          }, gate)
        guard error == 0 else { return false }
        started.append(thread)
      }
      return true
    }
  }
}

/// Where control groups that limit memory can be made: in the group of this process, so that whatever limits it holds
/// for them, too; with version 2, where a group of processes has no groups below it, in the nearest above that does.
struct MemoryGroups {
  /// 1 or 2.
  let version: Int
  /// Where all groups lie.
  let root: String
  /// This process's own group.
  let own: String
  /// Where new ones are made.
  let parent: String

  /// Looks for the memory controller.
  ///
  /// - Parameters:
  ///   - mounts: The text of /proc/self/mounts.
  ///   - membership: The text of /proc/self/cgroup.
  /// - Throws: ``StoreError`` telling what is missing, and what to do about it.
  init(
    mounts: String = Linux.text("/proc/self/mounts") ?? "", membership: String = Linux.text("/proc/self/cgroup") ?? ""
  ) throws {
    let mounts = mounts.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      .filter { $0.count >= 4 }
    let groups = membership.split(separator: "\n").map {
      $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    }.filter { $0.count == 3 }
    func controllers(_ field: String) -> [Substring] { field.split(separator: ",") }
    /// The directory of a group; of one that lies outside of what a container sees, the root.
    func directory(_ group: String?, in root: String) -> String {
      let path = group.map { $0 == "/" ? root : root + $0 } ?? root
      return FileManager.default.fileExists(atPath: path) ? path : root
    }
    if let mount = mounts.first(where: { $0[2] == "cgroup" && controllers($0[3]).contains("memory") }) {
      (version, root) = (1, mount[1])
      own = directory(groups.first { controllers($0[1]).contains("memory") }?[2], in: root)
      parent = own
    } else if let mount = mounts.first(where: { mount in
      mount[2] == "cgroup2" && Self.words("\(mount[1])/cgroup.controllers").contains("memory")
    }) {
      (version, root) = (2, mount[1])
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
        "no group below \(root) hands the limiting of memory on; write +memory to \(root)/cgroup.subtree_control")
    }
  }

  /// Why no group can be made here, and what to do about it; nil if one can, which is tried once.
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

  /// What the groups of this program are called, before their process's number.
  static let prefix = "storage-bench-"

  /// Whether a group can be one of this program's: somebody may have called a service `storage-bench-nightly`.
  private static func isName(_ name: String) -> Bool {
    let parts = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
    return name.hasPrefix(prefix) && parts.count == 2 && Int32(parts[0]) != nil
      && parts[1].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// Removes the groups that killed processes have left, wherever they were: those that nobody has locked. One in which
  /// a process still runs stays; the kernel sees to that.
  func removeLeftovers() {
    var waiting = [root]
    while let directory = waiting.popLast() {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      for name in names {
        let path = "\(directory)/\(name)"
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
        if Self.isName(name), let lock = Self.locked(path) {
          _ = rmdir(path)
          try? lock.close()
        } else {
          waiting.append(path)
        }
      }
    }
  }

  /// The lock of a group, or nil if another process has it, or has just removed the group.
  fileprivate static func locked(_ path: String) -> FileDescriptor? {
    guard let lock = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .closeOnExec]) else {
      return nil
    }
    var status = stat()
    guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0, fstat(lock.rawValue, &status) == 0,
      FileManager.default.fileExists(atPath: path)
    else {
      try? lock.close()
      return nil
    }
    return lock
  }
}

/// A control group in which a trial's process runs: what it takes of memory, the pages of its files included, is limited.
///
/// A page belongs to the group whose process touched it first, see the kernel's memory.rst and cgroup-v2.rst: a store must
/// have left the page cache before a process of the group opens it.
final class MemoryGroup: Sendable {
  /// The group's directory.
  let path: String
  private let groups: MemoryGroups
  private let lock: FileDescriptor

  /// Leftovers are looked for once in a process.
  private static let clean: Void = { try? MemoryGroups().removeLeftovers() }()

  /// Makes a group, which lasts until it is removed.
  ///
  /// - Parameters:
  ///   - bytes: The limit; whole pages of it count. There is no swap.
  ///   - groups: Where.
  /// - Throws: ``StoreError`` telling what is missing, and what to do about it.
  init(bytes: Int, in groups: MemoryGroups? = nil) throws {
    _ = Self.clean
    self.groups = try groups ?? MemoryGroups()
    (path, lock) = try Self.make(in: self.groups.parent)
    do {
      switch self.groups.version {
      case 1:
        // Before the limit of both together, which must not be lower.
        try set("memory.limit_in_bytes", bytes)
        try set("memory.memsw.limit_in_bytes", bytes, isOptional: true)
        try set("memory.swappiness", 0, isOptional: true)
      default:
        try set("memory.max", bytes)
        try set("memory.swap.max", 0, isOptional: true)
      }
    } catch {
      remove()
      throw error
    }
  }

  private static func make(in parent: String) throws -> (String, FileDescriptor) {
    // Another process may take the group for a leftover in the moment between its making and its locking.
    for _ in 0..<8 {
      let path = "\(parent)/\(MemoryGroups.prefix)\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
      guard mkdir(path, 0o755) == 0 else {
        throw StoreError.failed(
          "no control group can be made in \(parent): \(String(cString: strerror(errno))); run as root, "
            + "or start the container with --privileged")
      }
      if let lock = MemoryGroups.locked(path) { return (path, lock) }
    }
    throw StoreError.failed("a control group in \(parent) is removed by another process each time; try again")
  }

  private func set(_ name: String, _ value: Int, isOptional: Bool = false) throws {
    do {
      let file = try FileDescriptor.open(FilePath("\(path)/\(name)"), .writeOnly, options: .closeOnExec)
      try file.closeAfter { _ = try file.writeAll("\(value)".utf8) }
    } catch {
      // Without accounting of swap there is no file for its limit.
      if isOptional { return }
      throw StoreError.failed(
        "the memory of a control group cannot be limited: \(path)/\(name): \(error); run as root")
    }
  }

  /// The file by which a process joins the group.
  var processes: String { "\(path)/cgroup.procs" }
  /// The file by which it goes back to where this process is.
  var outside: String { "\(groups.own)/cgroup.procs" }

  /// How many of the group's processes the kernel has killed since they needed more than the limit.
  var kills: Int {
    let text = Linux.text("\(path)/\(groups.version == 1 ? "memory.oom_control" : "memory.events")") ?? ""
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == "oom_kill" { return Int(words[1]) ?? 0 }
    }
    return 0
  }

  /// Ends what still runs in the group, and removes it.
  func remove() {
    // A killed process leaves its group a moment later.
    var attempts = 0
    while rmdir(path) != 0, errno == EBUSY, attempts < 200 {
      attempts += 1
      for process in Linux.text(processes)?.split(separator: "\n").compactMap({ Int32($0) }) ?? [] where process > 0 {
        kill(process, SIGKILL)
      }
      usleep(10_000)
    }
    try? lock.close()
  }
}
