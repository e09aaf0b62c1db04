import Foundation
import StorageWorkloads
import Testing

extension EndToEnd.Enduring {
  @Suite struct EndingTests {
    private let workplace = Workplace()

    private func shell(_ script: String) async throws -> Finished {
      try await workplace.start(shell: script).finish()
    }

    private static let once = "run --allow-debug -q --once -b plist -w save-one -n 10"

    @Test func `output that cannot be written ends with 74`() async throws {
      _ = try await shell("\"$0\" \(Self.once) -o run")
      for command in [
        "list backends", "list backends --json", "help", "--version", "trace plist save-one -n 10",
        "--generate-completion-script bash", "\(Self.once) -o new", "report run", "compare run run", "advise --help",
      ] {
        let full = try await shell("\"$0\" \(command) >/dev/full")
        #expect(full.status == 74 && full.complaints.count == 1, "\(command): \(full.status) \(full.errors)")
        let closed = try await shell("\"$0\" \(command.replacing("-o new", with: "-o newer")) >&-")
        #expect(closed.status == 74, "\(command): \(closed.status) \(closed.errors)")
        // A reader that stops early, such as `head`, is no failure.
        let enough = try await shell("\"$0\" \(command.replacing("-o new", with: "-o newest")) | head -c 1 >/dev/null")
        #expect(enough.errors.isEmpty, "\(command): \(enough.errors)")
      }
    }

    /// A file that is opened later must not get the descriptor of a closed stream, because printed text would go into
    /// it.
    @Test func `a closed stream is no file's number`() async throws {
      for streams in [">&-", "<&- >&- 2>&-"] {
        let name = "closed\(streams.count)"
        let finished = try await shell(
          "\"$0\" run --allow-debug --once -b plist,sqlite -w save-one -n 10 -o \(name) \(streams)")
        #expect(finished.status == 74, "\(streams): \(finished.status) \(finished.errors)")
        #expect(try Results("\(workplace.path)/\(name)").rows.count == 2, "\(streams)")
      }
    }

    @Test(arguments: ["ulimit -n 8", "ulimit -n 16", "ulimit -n 24", "ulimit -n 40"])
    func `few descriptors are told of in a sentence`(_ limit: String) async throws {
      for command in ["list backends", Self.once, "trace plist save-one -n 10", "doctor"] {
        let finished = try await shell("\(limit); exec timeout -k 1 20 \"$0\" \(command)")
        #expect(
          finished.status == 74 && finished.complaints.count == 1 && finished.errors.contains("ulimit -n 64"),
          "\(limit), \(command): \(finished.status) \(finished.errors)")
      }
    }

    /// Building, copying, saving and mapping a store, each on a disk without enough space for it.
    @Test(
      .enabled(if: Program.canMount, "nothing can be mounted in a namespace here"),
      arguments: ["sqlite", "lmdb", "lmdb:writemap=yes", "plist", "defaults", "leveldb"])
    func `a full disk fails no cell, and the run goes on when there is room`(_ backend: String) async throws {
      let name = backend.replacing(/[^a-z]/, with: "")
      let run = "\"$0\" run --allow-debug -q"
      let script = """
        set -e; mkdir \(name)-disk; mount -t tmpfs -o size=1300k none \(name)-disk
        code=0; \(run) --cost-on-disk -b \(backend) -w save-one,read-one -n 5000 --rounds 1 --trial-time 1ms \
          --scratch \(name)-disk -o \(name) || code=$?
        test $code = 74; cp \(name)/trials.jsonl \(name).jsonl
        code=0; \(run) --resume \(name) || code=$?; test $code = 74
        mount -o remount,size=400m \(name)-disk; \(run) --resume \(name); test -z "$(ls \(name)-disk)"
        """
      let finished = try await workplace.start(shell: script, unshare: "-rm").finish(exits: 0)
      #expect(finished.complaints.count == 2, "\(finished.errors)")
      for complaint in finished.complaints {
        #expect(
          complaint.contains("no space left for \(backend)/") && complaint.contains("run --resume"), "\(complaint)")
      }
      let before = try workplace.text("\(name).jsonl")
      #expect(!before.contains("\"failed\""), "\(before)")
      let results = try Results("\(workplace.path)/\(name)")
      #expect(results.trialKeys.count == 4 && Set(results.trialKeys).count == 4, "\(results.trialKeys)")
      #expect(results.rows.allSatisfy { $0["status"] == "ok" })
    }

    @Test func `a process that is not hung up continues`() async throws {
      let program = try workplace.start(
        shell: "trap '' HUP; exec \"$0\" run --allow-debug -q -b plist -w save-one -n 10 --rounds 6 -o run")
      try await program.wait { FileManager.default.fileExists(atPath: "\(workplace.path)/run/trials.jsonl") }
      program.send(SIGHUP)
      await program.finish(exits: 0)
    }

    /// Returns the arguments that compare this program with a script.
    private func comparison(with script: String) throws -> [String] {
      let head = try workplace.write("hanging", script)
      chmod(head, 0o755)
      return ["paired", "--base", Program.bench, "--head", head]
        + "--allow-debug -b null -w read-one -n 10 -o out".words
    }

    /// Ends a comparison, and expects that no `sleep` of its script is left a second later.
    private func expectEnded(_ program: Program, sleep: Int) async throws {
      program.send(SIGTERM)
      let began = ContinuousClock.now
      await program.finish(exits: 130)
      #expect(ContinuousClock.now - began < .seconds(5))
      try await Task.sleep(for: .seconds(1))
      #expect(try await sleepers(sleep) == 0)
    }

    /// Returns the number of processes that sleep for this number of seconds.
    private func sleepers(_ seconds: Int) async throws -> Int? {
      Int(try await shell("pgrep -x -f 'sleep \(seconds)' | wc -l").output.trimmingCharacters(in: .newlines))
    }

    @Test func `a head that hangs is ended with what it has started`() async throws {
      let arguments = try comparison(with: "#!/bin/sh\nsleep 987 &\nsleep 987\n")
      try await workplace.expectRefused(arguments, "did not answer within")
      let stopped = try workplace.start(arguments)
      try await Task.sleep(for: .seconds(2))
      try await expectEnded(stopped, sleep: 987)
    }

    @Test func `a head that hangs in a trial goes with what it has started`() async throws {
      let script = """
        #!/bin/bash
        if [[ "$1" = __trial && "$2" = *'"cell"'* ]]; then sleep 986 & sleep 986; fi
        exec '\(Program.bench)' "$@"
        """
      let program = try workplace.start(comparison(with: script))
      while try await sleepers(986) == 0 { try #require(program.isRunning) }
      try await expectEnded(program, sleep: 986)
    }

    @Test func `a file of allocations alone is not judged by another compiler`() async throws {
      try await workplace.commitCounts(in: "c.csv")
      let lines = try workplace.text("c.csv").split(separator: "\n")
      let header = lines[0].replacing(/swift=[\d.]+/, with: "swift=5.1")
      let line = lines[1].split(separator: ",").filter { !$0.hasPrefix("bytes=") && !$0.hasPrefix("writes=") }
        .filter { !$0.hasPrefix("syncs=") && !$0.hasPrefix("allocations=") }.joined(separator: ",")
      try workplace.write("c.csv", "\(header)\n\(line),allocations=1\n")
      let judged = try await workplace.bench("check c.csv -f junit", exits: 3)
      #expect(judged.output.contains("not judged"), "\(judged.status) \(judged.output)")
      #expect(try workplace.text("junit.xml").contains("<skipped"))
    }

    @Test func `another build neither goes on nor takes over`() async throws {
      let path = "\(workplace.path)/copy"
      func copy() throws { try FileManager.default.copyItem(atPath: Program.bench, toPath: path) }
      try copy()
      let arguments = "run --allow-debug -q -b plist -w save-one -n 10 --rounds 40".words
      func start(_ name: String) async throws -> Program {
        let program = try workplace.start(
          arguments + ["-o", name], program: "copy", from: URL(fileURLWithPath: workplace.path))
        try await program.wait { workplace.trialCount(name) > 0 }
        return program
      }
      func resume(_ name: String) throws -> Program {
        try workplace.start(
          "run --allow-debug -q --resume \(name)".words, program: "copy", from: URL(fileURLWithPath: workplace.path))
      }
      let first = try await start("first")
      try FileManager.default.removeItem(atPath: path)
      try copy()
      let ended = await first.finish()
      #expect(ended.status == 74 && ended.errors.contains("was replaced while it was running"), "\(ended.errors)")
      // A copy of the same file is the same build. With one byte more it is another build.
      let second = try await start("second")
      second.send(SIGINT)
      await second.finish(exits: 130)
      let handle = try #require(FileHandle(forWritingAtPath: path))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("another".utf8))
      try handle.close()
      let refused = try await resume("second").finish()
      #expect(refused.status == 64 && refused.errors.contains("began with another executable"), "\(refused.errors)")
      try FileManager.default.removeItem(atPath: path)
      try copy()
      #expect(try await resume("second").finish().status == 0)
      #expect(try await resume("first").finish().status == 0)
    }

    /// The mounts, control groups, temporary files and processes that a command has left.
    private struct Remains: Equatable {
      var mounts: [String]
      var groups: Set<String>
      var temporary: [String]
      /// The processes whose working directory is in the test's directory.
      var processes: [String]

      init(_ workplace: Workplace) throws {
        let files = FileManager.default
        mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8).split(separator: "\n").map(
          String.init
        )
        .filter { $0.contains("storage-bench") }
        let paths = files.enumerator(atPath: "/sys/fs/cgroup")?.compactMap { $0 as? String } ?? []
        groups = Set(paths.filter { URL(fileURLWithPath: $0).lastPathComponent.hasPrefix("storage-bench-") })
        temporary = try files.contentsOfDirectory(atPath: "\(workplace.path)/tmp")
        processes = try files.contentsOfDirectory(atPath: "/proc").filter { name in
          Int(name) != nil
            && (try? files.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd"))?.hasPrefix(workplace.path) == true
        }
      }
    }

    /// Kills each command once, at a random time. ENDING_KILLS sets another number of kills and ENDING_SEED the seed.
    @Test func `nothing is left of a command that is killed but what can be resumed`() async throws {
      let environment = ProcessInfo.processInfo.environment
      var dice = RandomStream(seed: environment["ENDING_SEED"].flatMap { UInt64($0) } ?? 1)
      try FileManager.default.createDirectory(atPath: "\(workplace.path)/tmp", withIntermediateDirectories: true)
      try #require(try await shell("\"$0\" \(Self.once) -o template").status == 0)
      try await workplace.commitCounts(in: "c.csv")
      let before = Set(try FileManager.default.contentsOfDirectory(atPath: "/dev/shm"))
      let commands = [
        "run --allow-debug -q -b plist,sqlite,lmdb -w save-one,read-one -n 100 --rounds 2 -o killed --scratch s",
        "run --allow-debug -q -b plist -w read-one -n 100 --rounds 2 --memory 64M -o killed --scratch s",
        "check c.csv --scratch s", "crashtest -q -b plist --count 50 --scratch s -o c",
        "paired --allow-debug --base-backend memory -b null -w read-one -n 10 -o p",
        "noise --allow-debug -b plist -w save-one -n 10 --trial-time 5ms --scratch s -o n",
        "trace sqlite save-one -n 1000 --scratch s", "report template", "merge template -o m", "doctor --scratch s",
        "compare template template -f json -o d", "advise template --records 10 --reads-per-save 5",
        "list backends",
      ].map(\.words)
      let kills = environment["ENDING_KILLS"].flatMap { Int($0) } ?? commands.count
      for kill in 0..<kills {
        let arguments = commands[kill % commands.count]
        let signal = [SIGINT, SIGTERM, SIGKILL][dice.below(3)]
        let program = try workplace.start(arguments, environment: ["TMPDIR": "\(workplace.path)/tmp"])
        let isShort = ["list", "advise", "compare", "merge", "report"].contains(arguments[0])
        try await Task.sleep(for: .milliseconds(5 + dice.below(isShort ? 150 : 900)))
        program.send(signal)
        let began = ContinuousClock.now
        let ended = await program.finish()
        let comment: Comment = "kill \(kill): \(arguments) \(signal): \(ended.status) \(ended.errors)"
        #expect(ContinuousClock.now - began < .seconds(5), comment)
        // The signal ends a process that is still being loaded.
        #expect([0, 3, 64, 130, -signal].contains(ended.status), comment)
        // Child processes end shortly after their parent.
        var left = try Remains(workplace)
        while !left.processes.isEmpty, ContinuousClock.now - began < .seconds(8) {
          try await Task.sleep(for: .milliseconds(50))
          left = try Remains(workplace)
        }
        #expect(left.processes.isEmpty && left.mounts.isEmpty, "\(comment) left \(left)")
        if arguments[0] == "run", workplace.names.contains("killed") {
          let path = "\(workplace.path)/killed"
          if FileManager.default.fileExists(atPath: "\(path)/plan.json") {
            let resumed = try await workplace.start("run --allow-debug -q --resume killed".words).finish()
            #expect(resumed.status == 0, "\(comment) then \(resumed.errors)")
          }
          try FileManager.default.removeItem(atPath: path)
        }
        // After SIGKILL, the next command of the same kind removes the remains.
        if signal == SIGKILL {
          for command in [commands[6], commands[1]] {
            _ = try await workplace.start(command, environment: ["TMPDIR": "\(workplace.path)/tmp"]).finish()
          }
          try? FileManager.default.removeItem(atPath: "\(workplace.path)/killed")
        }
        let stores = (try? FileManager.default.contentsOfDirectory(atPath: "\(workplace.path)/s")) ?? []
        #expect(stores.isEmpty, "\(comment): \(stores)")
        left = try Remains(workplace)
        #expect(left.groups.isEmpty && left.temporary.isEmpty, "\(comment) left \(left)")
        for name in ["c", "p", "m", "n", "d", "h"] {
          try? FileManager.default.removeItem(atPath: "\(workplace.path)/\(name)")
        }
      }
      try await workplace.bench("check c.csv")
      let after = Set(try FileManager.default.contentsOfDirectory(atPath: "/dev/shm"))
      // Directories of other tests are locked, and have the number of a running process in their name.
      let left = after.subtracting(before).filter { name in
        InterruptionTests.process(in: name).map { Foundation.kill($0, 0) != 0 } == true
      }
      #expect(left.isEmpty)
    }
  }
}
