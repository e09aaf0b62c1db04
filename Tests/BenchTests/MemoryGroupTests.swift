import Foundation
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct MemoryGroupTests {
  private let directory = TemporaryDirectory()

  private var root: String { (directory.path as NSString).standardizingPath }

  /// Creates directories and files that look like control groups.
  private func make(_ files: [String: String]) throws {
    for (path, text) in files {
      try directory.makeDirectory((path as NSString).deletingLastPathComponent)
      try directory.write(path, text)
    }
  }

  private func groups(_ mounts: String, _ membership: String) throws -> MemoryGroups {
    try MemoryGroups(mounts: mounts.replacingOccurrences(of: "ROOT", with: root), membership: membership)
  }

  @Test func versionOneMakesThemInItsOwnGroup() throws {
    try make(["memory/jobs/7/tasks": "", "unified/cgroup.controllers": ""])
    let groups = try groups(
      """
      proc /proc proc rw 0 0
      cgroup ROOT/cpu cgroup rw,cpu 0 0
      cgroup ROOT/memory cgroup rw,relatime,memory 0 0
      cgroup2 ROOT/unified cgroup2 rw 0 0
      """, "5:cpu:/elsewhere\n4:memory:/jobs/7\n0::/\n")
    #expect(groups.version == 1)
    #expect(groups.parent == "\(root)/memory/jobs/7")
    #expect(groups.own == groups.parent)
  }

  /// In a container, the path of the process's group may belong to the host and be invisible.
  @Test func aGroupOutOfSightIsTheRoot() throws {
    try make(["memory/tasks": ""])
    let groups = try groups("cgroup ROOT/memory cgroup rw,memory 0 0\n", "4:memory:/docker/abc\n")
    #expect(groups.parent == "\(root)/memory")
  }

  /// In version 2, a group with processes has no child groups. The nearest ancestor that delegates memory is used.
  @Test func versionTwoGoesUp() throws {
    try make([
      "cg/cgroup.controllers": "cpu memory pids\n", "cg/cgroup.subtree_control": "memory pids\n",
      "cg/user/cgroup.subtree_control": "memory\n", "cg/user/session/cgroup.subtree_control": "\n",
    ])
    let groups = try groups("cgroup2 ROOT/cg cgroup2 rw 0 0\n", "0::/user/session\n")
    #expect(groups.version == 2)
    #expect(groups.parent == "\(root)/cg/user")
    #expect(groups.own == "\(root)/cg/user/session")
    try make(["cg/user/cgroup.subtree_control": "pids\n", "cg/cgroup.subtree_control": "pids\n"])
    #expect {
      try self.groups("cgroup2 ROOT/cg cgroup2 rw 0 0\n", "0::/user/session\n")
    } throws: {
      "\($0)".contains("write +memory to \(root)/cg/cgroup.subtree_control")
    }
  }

  @Test func aMissingControllerIsReportedWithTheFix() {
    #expect {
      try groups("cgroup2 ROOT/none cgroup2 rw 0 0\n", "0::/\n")
    } throws: {
      "\($0)".contains("cgroup_enable=memory")
    }
  }

  @Test func leftoversGoAndNeighboursStay() throws {
    try make(["memory/jobs/7/tasks": "", "memory/jobs/7/storage-bench-8-full/tasks": ""])
    for name in [
      "memory/jobs/7/storage-bench-1-a", "memory/storage-bench-2-b", "memory/mine", "memory/storage-bench-nightly",
      "memory/storage-bench-3-c",
    ] { try directory.makeDirectory(name) }
    // Another running process holds the lock of this group.
    let lock = open("\(root)/memory/storage-bench-3-c", O_RDONLY | O_DIRECTORY)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    try groups("cgroup ROOT/memory cgroup rw,memory 0 0\n", "4:memory:/\n").removeLeftovers()
    let left = Set(FileManager.default.subpaths(atPath: "\(root)/memory") ?? [])
    // The system does not remove a directory with contents, such as a group with processes.
    #expect(
      left == [
        "jobs", "jobs/7", "jobs/7/tasks", "jobs/7/storage-bench-8-full", "jobs/7/storage-bench-8-full/tasks", "mine",
        "storage-bench-3-c", "storage-bench-nightly",
      ])
    close(lock)
  }

  /// Needs a system that supports control groups, and a user who may create them.
  @Test(.enabled(if: MemoryGroups.obstacle == nil, Comment(rawValue: MemoryGroups.obstacle ?? "")))
  func aGroupIsMadeAndRemoved() throws {
    let group = try MemoryGroup(bytes: 32 << 20)
    let limit = ["memory.limit_in_bytes", "memory.max"].compactMap { Linux.text("\(group.path)/\($0)") }.first
    #expect(limit == "\(32 << 20)")
    #expect(Linux.text(group.processes) == "")
    #expect(group.kills == 0)
    #expect(FileManager.default.fileExists(atPath: group.outside))
    group.remove()
    #expect(!FileManager.default.fileExists(atPath: group.path))
  }

  private func plan(
    _ arguments: String..., isRAMDisk: Bool = false, obstacle: String? = nil
  ) throws -> [String: PlannedCell.Refusal?] {
    var builder = try PlanBuilder.sample(arguments, arguments: ["--allow-ram-disk"])
    builder.isRAMDisk = isRAMDisk
    builder.memoryObstacle = { obstacle }
    return Dictionary(uniqueKeysWithValues: try builder.plan().cells.map { ($0.cell.name, $0.refusal) })
  }

  @Test func whereNoGroupCanBeMadeOnlyTheCellsThatNeedOneAreLeftOut() throws {
    let cells = try plan("-b", "sqlite", "-w", "read-one", "--memory", "all,64MiB", obstacle: "run as root")
    #expect(cells.count == 2)
    #expect(cells["sqlite/read-one/1000/-"] == .some(nil))
    #expect(cells["sqlite/read-one/1000/-/memory=64MiB"] == .some(.init(status: .notAvailable, note: "run as root")))
  }

  @Test func whatIsInMemoryAnywayHasNoLimit() throws {
    let cells = try plan("-b", "memory,keychain,lmdb", "-w", "read-one", "--memory", "64MiB")
    #expect(cells["memory/read-one/1000/-/memory=64MiB"]??.note.contains("it has no store on a disk") == true)
    #expect(cells["keychain/read-one/1000/-/memory=64MiB"]??.status == .notAvailable)
    #expect(cells["lmdb/read-one/1000/-/memory=64MiB"] == .some(nil))
    // The flag --allow-ram-disk does not help: pages of a RAM disk cannot be evicted.
    let refusal = "--memory 64MiB: /scratch is in memory, so the pages of a store cannot be evicted; give --scratch"
    expectUsageError(refusal) {
      try plan("-b", "lmdb", "-w", "read-one", "--memory", "64MiB", isRAMDisk: true)
    }
  }
}
