import Foundation
import Testing

/// Invalid input is refused with one sentence, before anything is written.
extension EndToEnd.Enduring {
  @Suite struct UsageTests {
    private let workplace = Workplace()

    init() throws {
      try workplace.write("twice.csv", "id,name\n1,a\n2,b\n1,c\n")
      try workplace.write("plan.yaml", "records: 10\nrecrods: 5\n")
      try workplace.write("file", "a file")
    }

    @Test(arguments: [
      // Paths that cannot be written.
      (["run", "-b", "null", "-n", "10", "-o", "file/below"], "give --"),
      (["run", "-b", "null", "-n", "10", "-o", "/proc/storage-bench"], "give --"),
      (["run", "-b", "null", "-n", "10", "-o", "new", "--scratch", "file/below"], "give --"),
      (["run", "-b", "null", "-n", "10", "-o", "new/deeper", "--scratch", "/proc/storage-bench"], "give --"),
      (["frobnicate"], "unknown command 'frobnicate'"), (["reprot", "--help"], "the nearest is 'report'"),
      (["run", "--nope"], "Unknown option '--nope'"), (["compare", "X"], "; see 'storage-bench compare --help'"),
      (["run", "-n"], "Missing value for '-n"), (["run", "extra"], "Unexpected argument 'extra'"),
      (["run", "-n", "0"], "-n '0' is not usable"), (["run", "--rate", "0"], "--rate '0' is not usable"),
      (["run", "-b", "sqlit"], "unknown backend 'sqlit'; the nearest is 'sqlite'"),
      (["run", "-w", "mix:read=50:update=40"], "mix (read=50, update=40) add up to 90; make them 100"),
      (["run", "-w", "save-one", "--threads", "4"], "--threads 4: no workload of this run supports several threads"),
      (["run", "-w", "import", "--aged", "3"], "--aged 3"), (["crashtest", "-b", "sqlite", "--aged", "3"], "--aged"),
      (["run", "-b", "null", "--dataset", "twice.csv"], "twice.csv, line 4, column 'id': id 1 is also on line 2"),
      (["run", "--plan", "plan.yaml"], "plan.yaml, line 2: unknown key 'recrods' of the plan"),
      (["run", "--resume", "nowhere"], "nowhere does not exist"),
      (["run", "--resume", "file"], "file is not a directory"),
      (["run", "--resume", "x", "--plan", "y"], "--resume goes on with the run's own options; leave out --plan"),
      (["report", "run", "-f", "json", "--short"], "--short is for Markdown"),
      // A report replaces the file of that name, but never a device.
      (["run", "-b", "memory", "--export-markdown", "/dev/null"], "/dev/null is not a regular file"),
      (["run", "-b", "memory", "--export-markdown", "/"], "/ is a directory"),
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
    func commands(arguments: [String], text: String) async throws {
      try await workplace.expectRefused(arguments, text)
    }

    @Test func anOutputThatHoldsAnotherRun() async throws {
      _ = try await workplace.run("-b", "null", "-n", "10", "--once", into: "first")
      let journal = try workplace.text("first/trials.jsonl")
      try await workplace.expectRefused(
        ["run", "-b", "null", "-n", "10", "--once", "-o", "first"], "--out first holds another run")
      #expect(try workplace.text("first/trials.jsonl") == journal)
    }

    /// Whether /dev/shm is a tmpfs, as on every Linux machine.
    private static let hasRAMDisk =
      (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8))?.contains(" /dev/shm tmpfs ") == true
      && access("/dev/shm", W_OK) == 0

    @Test(.enabled(if: hasRAMDisk, "/dev/shm is no tmpfs here")) func nothingIsDurableInMemory() async throws {
      let scratch = "/dev/shm/storage-bench-test-\(getpid())"
      let arguments = [
        "run", "-b", "sqlite", "-n", "10", "--rounds", "1", "--trial-time", "1ms", "--durability", "durable",
        "--scratch", scratch,
      ]
      try await workplace.expectRefused(
        arguments,
        "is in memory, where nothing is durable; "
          + "give --scratch a directory on a disk, or with 'run' add --allow-ram-disk")
      #expect(!FileManager.default.fileExists(atPath: scratch))
      try await workplace.bench(arguments + ["--allow-debug", "--allow-ram-disk", "-q", "-o", "ram"])
      try? FileManager.default.removeItem(atPath: scratch)
    }
  }
}
