import Foundation
import StorageRunFiles
import StorageWorkloads
import Testing

/// Commands change no file of the user, in any directory that they are given.
extension EndToEnd.Enduring {
  @Suite struct OwnershipTests {
    private let workplace = Workplace()

    private static let run = "run --allow-debug -q --once -b plist -w save-one -n 10".words

    private func make(_ files: String...) throws {
      for file in files { try Self.make(file, in: workplace.path) }
    }

    /// Writes a file of the user.
    private static func make(_ name: String, in directory: String) throws {
      let path = "\(directory)/\(name)"
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data("mine: \(name)\n".utf8).write(to: URL(fileURLWithPath: path))
    }

    private func link(_ name: String, to target: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: "\(workplace.path)/\(name)", withDestinationPath: "\(workplace.path)/\(target)")
    }

    private func expectSame(_ before: World) throws {
      #expect(try before.changes(in: World(workplace.path)).isEmpty)
    }

    // MARK: - One by one

    @Test(arguments: [
      ["--scratch", ""], ["-o", ""], ["--scratch", "taken"], ["-o", "files"], ["-o", "taken/storage-bench-scratch"],
      ["-o", "linked"], ["-o", "new", "--export-markdown", "files/plan.json"],
      ["-o", "new", "--export-markdown", "link.md"], ["-o", "new", "--export-markdown", "files/report.md"],
    ])
    func `a run that would touch the user's files is refused`(_ arguments: [String]) async throws {
      try make(
        "files/plan.json", "files/environment.json", "files/summary.csv", "files/report.md", "files/charts/a.svg",
        "taken/storage-bench-scratch/trials/a", "target.md")
      try link("linked", to: "files")
      try link("link.md", to: "target.md")
      let before = try World(workplace.path)
      let ran = try await workplace.start(Self.run + arguments).finish()
      #expect(ran.status == 64 && ran.complaints.count == 1, "\(ran.errors)")
      try expectSame(before)
      #expect(!workplace.names.contains("new") && !workplace.names.contains("results"))
    }

    @Test func `a report replaces its own files and leaves others`() async throws {
      try #require(try await workplace.start(Self.run + ["-o", "run"]).finish().status == 0)
      try make("run/charts/mine.svg", "run/notes.txt", "other/summary.csv", "loose/notes.txt", "target")
      let before = try World(workplace.path)
      try await workplace.bench("report run -f csv,markdown,html,svg,json,junit")
      try await workplace.bench("report run -f csv,markdown,html,svg,json,junit")
      for out in ["other", "loose"] {
        try await workplace.expectRefused("report run -o \(out)".words, "files that storage-bench did not create")
      }
      try expectSame(before.without { $0.hasPrefix("run/") && !$0.contains("mine") && !$0.contains("notes") })
      // A file with the same name by another author, and a link.
      for file in ["report.md", "report.html", "summary.csv", "junit.xml", "report.json"] {
        try make("run/\(file)")
        let refused = try await workplace.bench("report run -f csv,markdown,html,json,junit", exits: 64)
        #expect(refused.errors.contains(file), "\(refused.errors)")
        #expect(try workplace.text("run/\(file)") == "mine: run/\(file)\n")
        try FileManager.default.removeItem(atPath: "\(workplace.path)/run/\(file)")
        try link("run/\(file)", to: "target")
        try await workplace.bench("report run -f csv,markdown,html,json,junit", exits: 64)
        #expect(try workplace.text("target") == "mine: target\n")
        try FileManager.default.removeItem(atPath: "\(workplace.path)/run/\(file)")
      }
    }

    /// The rule names no backend, which is found out when the run is planned.
    @Test func `a comparison refuses the file of another author before it measures`() async throws {
      try make("junit.xml")
      try workplace.write("rules.yaml", "rules:\n  - nope/save-one/10/shipped syncs == 0\n")
      for arguments in ["check rules.yaml --run -f junit", "check rules.yaml -f json,junit"] {
        try await workplace.expectRefused(arguments.words, "junit.xml exists and was not written by storage-bench")
      }
    }

    @Test func `every format is recognised by the command that wrote it`() async throws {
      _ = try await workplace.run("-b plist,sqlite -w save-one -n 10,20 --rounds 6 --trial-time 1ms", into: "run")
      try workplace.write("rules.yaml", "rules:\n  - plist/save-one/10/shipped bytes <= 1000000\n")
      try await workplace.commitCounts(in: "c.csv")
      let all = "markdown,html,svg,json,junit,benchstat,bencher,github-summary,github-annotations"
      for arguments in [
        "report run -f csv,\(all) -o 1", "report run -f markdown --short -o 2", "compare run run -f \(all) -o 3",
        "check c.csv -f \(all) -o 4", "check rules.yaml run -f \(all) -o 5", "check c.csv --update",
        "crashtest -q -b plist --fault kill --count 1 -o 6",
      ] {
        for _ in 1...2 { try await workplace.bench(arguments.words) }
      }
    }

    @Test func `of two runs in one directory the second is refused and the first is whole`() async throws {
      let first = try workplace.start(
        "run --allow-debug -q -b plist -w save-one -n 10 -o run --scratch a --rounds 3".words)
      try await first.wait { workplace.names.contains("run") }
      let second = try await workplace.start(Self.run + ["-o", "run", "--scratch", "b"]).finish()
      #expect(second.status == 64 && second.complaints.count == 1, "\(second.errors)")
      await first.finish(exits: 0)
      #expect(try Results("\(workplace.path)/run").rows.allSatisfy { $0["status"] == "ok" })
      #expect(!workplace.names.contains("b"))
    }

    @Test func `runs that begin at once have directories of their own`() async throws {
      let programs = try (0..<4).map { _ in try workplace.start(Self.run) }
      for program in programs {
        await program.finish(exits: 0)
      }
      let names = try workplace.names(in: "results")
      #expect(names.count == 5 && names.last == "latest", "\(names)")
      for name in names { #expect(try Results("\(workplace.path)/results/\(name)").rows.count == 1) }
    }

    @Test func `stores that an interrupted run has left are no other run's`() async throws {
      for (name, text) in [("a.csv", "id,name\n1,one\n2,two\n"), ("b.csv", "id,name\n5,five\n6,six\n7,seven\n")] {
        try workplace.write(name, text)
      }
      let arguments = "run --allow-debug -q -b plist,sqlite -w save-one,read-one --scratch s --rounds 30".words
      let first = try workplace.start(arguments + "--dataset a.csv -o first".words)
      try await first.wait { workplace.trialCount("first") > 0 }
      first.send(SIGKILL)
      _ = await first.finish()
      let second = try await workplace.run(
        "--once -b plist,sqlite -w save-one,read-one --scratch s --dataset b.csv", into: "second")
      #expect(second.rows.allSatisfy { $0["status"] == "ok" })
    }

    @Test func `an update keeps what was edited meanwhile and a link`() async throws {
      try await workplace.commitCounts(in: "costs.csv")
      try link("link.csv", to: "costs.csv")
      let linked = try await workplace.bench("check link.csv --update", exits: 64)
      #expect(linked.errors.contains("is a link"), "\(linked.errors)")
      #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: "\(workplace.path)/link.csv")) != nil)
    }

    // MARK: - At random

    /// 60 command lines. OWNERSHIP_TRIALS sets another number and OWNERSHIP_SEED the first seed.
    @Test func `no command line touches what it has not made`() async throws {
      let environment = ProcessInfo.processInfo.environment
      let trials = environment["OWNERSHIP_TRIALS"].flatMap { Int($0) } ?? 60
      let first = environment["OWNERSHIP_SEED"].flatMap { UInt64($0) } ?? 1
      try #require(try await workplace.start(Self.run + ["-o", "template"]).finish().status == 0)
      try await workplace.commitCounts(in: "template.csv")
      var ends: [Int32: Int] = [:]
      for trial in 0..<trials {
        let seed = first &+ UInt64(trial)
        var dice = RandomStream(seed: seed)
        let world = "\(workplace.path)/world"
        try? FileManager.default.removeItem(atPath: world)
        let locks = try Self.build(world, from: workplace.path, &dice)
        defer { for lock in locks { close(lock) } }
        let before = try World(world)
        let arguments = Self.arguments(&dice)
        let special = Program.canMount && dice.below(3) == 0 ? SpecialDisk.any(&dice, in: world) : nil
        let program = try workplace.start(
          shell: "cd world; \(special?.script ?? "exec \"$0\" \"$@\"")", arguments,
          unshare: special == nil ? nil : "-rm")
        let finished = await program.finish()
        ends[finished.status, default: 0] += 1
        var after = try World(world)
        if case .full(let name, _)? = special {
          // The mount ended with the process, so the script has copied its content.
          after = after.without { $0.hasPrefix("\(name)/") }
          for (path, entry) in try World("\(workplace.path)/seen").entries { after.entries["\(name)/\(path)"] = entry }
        }
        let context = "seed \(seed), \(special.map { "\($0)" } ?? "plain"): \(arguments)"
        let changes = before.changes(in: after)
        #expect(changes.isEmpty, "\(context): \(changes)")
        #expect(
          [0, 1, 2, 3, 64, 69, 74].contains(finished.status), "\(context): \(finished.status) \(finished.errors)")
        let left = after.paths.filter { path in
          path.split(separator: "/").contains { $0.hasPrefix(".storage-bench-") } && before.entries[path] == nil
        }
        #expect(left.isEmpty, "\(context) left \(left)")
      }
      // Some command lines are refused and some succeed.
      #expect(ends[0, default: 0] > trials / 20 && ends[64, default: 0] > trials / 20, "\(ends)")
    }

    /// A directory that is mounted read-only, or on a file system with little room.
    private enum SpecialDisk {
      case readOnly(String)
      /// The file system has this number of bytes left.
      case full(String, room: Int)

      static func any(_ dice: inout RandomStream, in world: String) -> Self? {
        let names = (0..<5).map { "d\($0)" }.filter {
          OwnedDirectory.lstat("\(world)/\($0)")?.st_mode.isDirectory == true
        }
        guard !names.isEmpty else { return nil }
        let name = dice.pick(names)
        return dice.below(2) == 0 ? .readOnly(name) : .full(name, room: dice.pick([0, 4, 8, 16, 64, 256]) << 10)
      }

      /// Mounts the directory, runs the command, and keeps a copy of the content at the end.
      var script: String {
        switch self {
        case .readOnly(let name):
          "mount --bind \(name) \(name) && mount -o remount,bind,ro \(name) && exec \"$0\" \"$@\""
        case .full(let name, let room):
          """
          set -e; rm -rf ../was ../seen; cp -a \(name) ../was
          size=$(($(du -s -B 1 \(name) | cut -f 1) + \(room)))
          mount -t tmpfs -o size=$size none \(name); cp -a ../was/. \(name)
          code=0; "$0" "$@" || code=$?
          cp -a \(name) ../seen; exit $code
          """
        }
      }
    }

    /// Names that this program gives to files and directories, or has given in older versions.
    private static let ownNames = [
      "trials/a", "fixtures/b", ".lock", "scratch/c", "charts/x.svg", "report.md", "report.html", "report.json",
      "summary.csv", "trials.csv", "junit.xml", "plan.json", "environment.json", "trials.jsonl", "probes.jsonl",
      "safety.json", "safety.md", "safety.html", "stores/d", "replays/e", "base/f", "head/g", "control/h",
      "comparison.md",
      "comparison.json", "comparison-charts/i.svg", "bencher.json", "benchstat.txt", "storage-bench-scratch/trials/j",
      "environments/k.json", "latest/l", ".fitness-probe", ".sync-probe", "github-summary.md", "costs.csv", "notes.txt",
    ]

    /// Creates directories `d0` to `d4` of many kinds.
    ///
    /// - Returns: Descriptors that hold locks.
    private static func build(_ world: String, from templates: String, _ dice: inout RandomStream) throws -> [Int32] {
      let files = FileManager.default
      for name in ["user/file", "user/deep/file"] { try make(name, in: world) }
      try files.copyItem(atPath: "\(templates)/template.csv", toPath: "\(world)/good.csv")
      var locks: [Int32] = []
      for number in 0..<5 {
        let path = "\(world)/d\(number)"
        switch dice.below(8) {
        case 0: continue
        case 1: try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        case 2, 3:
          try files.createDirectory(atPath: path, withIntermediateDirectories: true)
          for _ in 0...dice.below(6) { try foreign(dice.pick(ownNames), in: path) }
        case 4, 5:
          try files.copyItem(atPath: "\(templates)/template", toPath: path)
          // Files beside the run's own files, and in place of those that can be made again.
          for _ in 0..<dice.below(3) { try foreign(dice.pick(ownNames), in: path) }
        case 6:
          try files.createSymbolicLink(atPath: path, withDestinationPath: dice.pick(["user", "user/file", "nowhere"]))
        default:
          try files.createDirectory(atPath: path, withIntermediateDirectories: true)
          // Links with names that this program writes to.
          let name = dice.pick([
            "scratch", "charts", "storage-bench-scratch", "probes.jsonl", "report.md", "trials.jsonl",
          ])
          if dice.below(2) == 0 {
            try files.removeItem(atPath: path)
            try files.copyItem(atPath: "\(templates)/template", toPath: path)
          }
          try? files.removeItem(atPath: "\(path)/\(name)")
          try files.createSymbolicLink(
            atPath: "\(path)/\(name)", withDestinationPath: dice.pick(["\(world)/user", "\(world)/user/file"]))
        }
        if dice.below(8) == 0 { chmod(path, 0o555) }
        if dice.below(8) == 0 {
          let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
          if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 { locks.append(lock) }
        }
      }
      return locks
    }

    private static func foreign(_ name: String, in directory: String) throws {
      // Files that make a directory a run are not replaced: that would be damage, which other tests cover.
      let isOfRun = ["plan.json", "environment.json", "trials.jsonl"].contains(name)
      if !isOfRun || access("\(directory)/\(name)", F_OK) != 0 { try? make(name, in: directory) }
    }

    /// Returns a random command line for these directories.
    private static func arguments(_ dice: inout RandomStream) -> [String] {
      func path() -> String {
        let directory = "d\(dice.below(5))"
        return dice.pick(
          [
            directory, directory, directory, directory, "\(directory)/new/deeper", "\(directory)/charts",
            "\(directory)/scratch",
          ]
            + ["\(directory)/../d0", ".", "", "user", "\(directory)/storage-bench-scratch", "user/file"])
      }
      func option(_ name: String, of: Int = 2) -> [String] { dice.below(of) == 0 ? [name, path()] : [] }
      let formats = ["-f", "csv,markdown,html,svg,json,junit,benchstat,bencher"]
      let comparing = ["-f", dice.pick(["json,junit,svg", "markdown,html", "bencher,benchstat"])]
      switch dice.below(10) {
      case 0, 1, 2:
        let file = dice.below(4) == 0 ? ["--export-markdown", path() + dice.pick(["", "/report.md", "/x.md"])] : []
        return run + option("-o") + option("--scratch") + file
      case 3: return ["run", "--allow-debug", "-q", "--resume", path()]
      case 4, 5: return ["report", path()] + option("-o") + formats
      case 6: return ["merge", path(), "-o", path()]
      case 7:
        return "crashtest -q -b plist --fault kill --count 1".words + option("-o")
          + option("--scratch")
      case 8: return ["compare", path(), path()] + option("-o") + comparing
      default:
        return dice.pick([
          ["check", "good.csv"] + option("-o") + option("--scratch") + comparing,
          ["check", path() + "/costs.csv", "--update", "-b", "null", "-w", "save-one", "-n", "10"],
          ["trace", "plist", "save-one", "-n", "10"] + option("--scratch"),
          ["paired", "--allow-debug", "--base-backend", "memory", "-b", "null", "-w", "read-one", "-n", "10"]
            + ["--rounds", "6", "--trial-time", "1ms", "-o", path()] + option("--scratch"),
        ])
      }
    }
  }
}

/// The content of a directory: files with their bytes, links with their targets.
private struct World {
  var entries: [String: String] = [:]

  var paths: [String] { entries.keys.sorted() }

  init(_ root: String) throws {
    for path in FileManager.default.subpaths(atPath: root) ?? [] {
      let url = "\(root)/\(path)"
      guard let status = OwnedDirectory.lstat(url) else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFREG: entries[path] = (FileManager.default.contents(atPath: url) ?? Data()).base64EncodedString()
      case S_IFLNK: entries[path] = "-> " + ((try? FileManager.default.destinationOfSymbolicLink(atPath: url)) ?? "?")
      default: entries[path] = "directory"
      }
    }
  }

  func without(_ isOut: (String) -> Bool) -> World {
    var world = self
    world.entries = entries.filter { !isOut($0.key) }
    return world
  }

  /// Returns the user's files that are missing or changed. Reports in a run's directory do not belong to the user.
  func changes(in after: World) -> [String] {
    let own = ["report.md", "report.html", "report.json", "summary.csv", "trials.csv", "junit.xml", "environment.json"]
    return entries.filter { path, content in
      guard content != "directory", after.entries[path] != content else { return false }
      let parts = path.split(separator: "/")
      // Files of the user begin with "mine".
      let isMine = Data(base64Encoded: content).map { String(decoding: $0, as: UTF8.self).hasPrefix("mine") } ?? true
      let isOfRun = entries[parts.dropLast().joined(separator: "/") + "/plan.json"] != nil
      let isRegenerated =
        own.contains(String(parts.last ?? "")) || path.contains("benchstat.txt") || path.contains("bencher.json")
      return isMine || !(isOfRun && isRegenerated)
    }.keys.sorted()
  }
}

extension RandomStream {
  fileprivate mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
