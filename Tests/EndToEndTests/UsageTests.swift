import Foundation
import Testing

/// Invalid input is refused with one sentence, before anything is written.
extension EndToEnd.Enduring {
  @Suite struct UsageTests {
    private let workplace: Workplace

    init() throws {
      workplace = try Workplace()
      try workplace.write("empty.csv", Data())
      try workplace.write("header.csv", Data("id,name\n".utf8))
      try workplace.write("latin1.csv", Data("id,name\n1,a\n2,".utf8) + [0xE9, 0x0A])
      try workplace.write("ragged.csv", Data("id,name\n1,a\n2\n".utf8))
      try workplace.write("twice.csv", Data("id,name\n1,a\n2,b\n1,c\n".utf8))
      try workplace.write("words.csv", Data("id,name\none,a\n".utf8))
      try workplace.write("twice.jsonl", Data("{\"id\": 1}\n{\"id\": 1}\n".utf8))
      try workplace.write("open.csv", Data("id,name\n1,\"a\n".utf8))
      try workplace.write("file", Data("a file".utf8))
    }

    /// Runs the command, and expects the exit code, one line with the text, and no new files.
    private func expectRefused(
      _ arguments: [String], _ text: String, status: Int32 = 64,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let before = workplace.names
      let flags = arguments.first == "run" ? ["--allow-debug"] : []
      let finished = try await workplace.start(arguments + flags).finish()
      #expect(finished.status == status, "\(arguments)", sourceLocation: sourceLocation)
      #expect(finished.complaints.count == 1, "\(arguments): \(finished.errors)", sourceLocation: sourceLocation)
      #expect(finished.errors.hasPrefix("storage-bench: "), sourceLocation: sourceLocation)
      #expect(finished.errors.contains(text), "\(arguments): \(finished.errors)", sourceLocation: sourceLocation)
      #expect(finished.output.isEmpty, "\(arguments): \(finished.output)", sourceLocation: sourceLocation)
      #expect(workplace.names == before, "\(arguments)", sourceLocation: sourceLocation)
    }

    @Test(arguments: [
      ("-b", "sqlit", "unknown backend 'sqlit'; the nearest is 'sqlite'"),
      ("-b", "sqlite:jurnal=wal", "unknown option 'jurnal' of backend sqlite; the nearest is 'journal'"),
      ("-b", "sqlite:journal=wel", "unknown value 'wel' of option journal of backend sqlite; the nearest is 'wal'"),
      ("-b", "plist,,lmdb", "--backend 'plist,,lmdb' has an empty item"),
      ("-w", "save-won", "unknown workload 'save-won'; the nearest is 'save-one'"),
      ("-w", "import:batch=none", "unknown value 'none' of option batch of workload import"),
      ("-w", "read-x*", "no workload matches 'read-x*'"),
      ("-n", "0", "-n '0' is not usable"),
      ("-n", "banana", "-n 'banana' is not usable"),
      ("-n", "99999999999999999999", "-n '99999999999999999999' is not usable"),
      ("--durability", "durabel", "unknown durability 'durabel'; the nearest is 'durable'"),
      ("--profile", "quik", "unknown profile 'quik'; the nearest is 'quick'"),
      ("--rounds", "0", "--rounds '0' is not usable"),
      ("--trial-time", "50", "--trial-time '50' is not usable"),
      ("--shard", "3/2", "--shard '3/2' is not a shard"),
      ("--rate", "0", "--rate '0' is not usable"),
      ("--budget", "soon", "--budget 'soon' is not usable"),
      ("--skip", "*", "no cell is left to run"),
      ("--resume", "nowhere", "nowhere does not exist"),
      ("--resume", "file", "file is not a directory"),
    ])
    func options(flag: String, value: String, text: String) async throws {
      try await expectRefused(["run", flag, value], text)
    }

    @Test(arguments: [
      ("missing.csv", "missing.csv does not exist"), ("empty.csv", "empty.csv is empty"),
      ("header.csv", "header.csv has no rows"), ("latin1.csv", "latin1.csv, line 3, column 3: this is not UTF-8"),
      ("ragged.csv", "ragged.csv, line 3, column 2: 1 field but the header has 2"),
      ("twice.csv", "twice.csv, line 4, column 'id': id 1 is also on line 2"),
      ("words.csv", "words.csv, line 2, column 'id': the id 'one' is not an integer"),
      ("twice.jsonl", "twice.jsonl, line 2, column 'id': id 1 is also on line 1"),
      ("open.csv", "open.csv, line 2, column 2: this quote is never closed"), ("file", "file is of no known kind"),
    ])
    func datasets(file: String, text: String) async throws {
      try await expectRefused(["run", "-b", "null", "--dataset", file], text)
    }

    @Test(arguments: [
      ["run", "-b", "null", "-n", "10", "-o", "file/below"],
      ["run", "-b", "null", "-n", "10", "-o", "/proc/storage-bench"],
      ["run", "-b", "null", "-n", "10", "-o", "new", "--scratch", "file/below"],
      ["run", "-b", "null", "-n", "10", "-o", "new/deeper", "--scratch", "/proc/storage-bench"],
    ])
    func pathsThatCannotBeWritten(arguments: [String]) async throws { try await expectRefused(arguments, "give --") }

    @Test(arguments: [
      (["frobnicate"], "unknown command 'frobnicate'"), (["reprot", "--help"], "the nearest is 'report'"),
      (["run", "--nope"], "Unknown option '--nope'"), (["compare", "X"], "; see 'storage-bench compare --help'"),
      (["run", "-n"], "Missing value for '-n"), (["run", "extra"], "Unexpected argument 'extra'"),
      (["list"], "Missing expected argument"), (["list", "things"], "unknown list 'things'"),
      (["report", "nowhere"], "nowhere does not exist"), (["report", "file"], "file is not a directory"),
      (["report", "."], "is not a run: it has no plan.json"), (["report", "-f", "xls"], "unknown format 'xls'"),
      (["doctor", "--scratch", "file/x"], "file is not a directory"),
      (["advise", "--records", "10"], "Missing expected argument"),
      (["advise", "nowhere", "--records", "10", "--reads-per-save", "1"], "nowhere does not exist"),
      (["advise", "--records", "few", "--reads-per-save", "1"], "--records 'few' is not usable"),
      (["advise", "--records", "10", "--reads-per-save=-1"], "--reads-per-save '-1' is not usable"),
      (["advise", "--records", "10", "--reads-per-save", "many"], "--reads-per-save 'many' is not usable"),
      (
        ["advise", "--records", "10", "--reads-per-save", "1", "--durability", "durible"],
        "--durability: unknown durability 'durible'; the nearest is 'durable'"
      ),
      (["advise", "--records", "10", "--reads-per-save", "1", "--launch-budget", "9"], "--launch-budget '9' is not"),
    ])
    func commands(arguments: [String], text: String) async throws { try await expectRefused(arguments, text) }

    @Test func anOutputThatHoldsAnotherRun() async throws {
      _ = try await workplace.run("-b", "null", "-n", "10", "--once", into: "first")
      let journal = FileManager.default.contents(atPath: "\(workplace.path)/first/trials.jsonl")
      try await expectRefused(
        ["run", "-b", "null", "-n", "10", "--once", "-o", "first"], "--out first holds another run")
      #expect(FileManager.default.contents(atPath: "\(workplace.path)/first/trials.jsonl") == journal)
    }

    /// Whether /dev/shm is a tmpfs, as on every Linux machine.
    private static let hasRAMDisk =
      (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8))?.contains(" /dev/shm tmpfs ") == true
      && access("/dev/shm", W_OK) == 0

    @Test(.enabled(if: hasRAMDisk, "/dev/shm is no tmpfs here"), arguments: ["durable", "intact"])
    func nothingIsDurableInMemory(durability: String) async throws {
      let scratch = "/dev/shm/storage-bench-test-\(getpid())"
      let arguments = [
        "run", "-b", "sqlite", "-n", "10", "--rounds", "1", "--trial-time", "1ms", "--durability", durability,
        "--scratch", scratch,
      ]
      try await expectRefused(
        arguments,
        "is in memory, where nothing is durable; give --scratch a directory on a disk, or add --allow-ram-disk")
      #expect(!FileManager.default.fileExists(atPath: scratch))
      let allowed = try await workplace.start(arguments + ["--allow-debug", "--allow-ram-disk", "-q", "-o", "ram"])
        .finish()
      #expect(allowed.status == 0)
      try? FileManager.default.removeItem(atPath: scratch)
    }
  }
}
