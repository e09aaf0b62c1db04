import Foundation
import Testing

/// Invalid input is refused with one sentence, before anything is written.
extension EndToEnd.Enduring {
  @Suite struct UsageTests {
    private let workplace = Workplace()

    init() throws {
      try workplace.write("plan.yaml", "records: 10\nrecrods: 5\n")
      try workplace.write("rules.yaml", "rules:\n  - plist/save-one/10/shipped syncs == 1\n")
      try workplace.write("file", "a file")
    }

    @Test(arguments: [
      // Paths that cannot be written.
      ("run -b null -n 10 -o file/below", "give --"), ("run -b null -n 10 -o /proc/storage-bench", "give --"),
      ("run -b null -n 10 -o new --scratch file/below", "give --"),
      ("run -b null -n 10 -o new/deeper --scratch /proc/storage-bench", "give --"),
      ("frobnicate", "unknown command 'frobnicate'"), ("reprot --help", "the nearest is 'report'"),
      ("run --nope", "Unknown option '--nope'"), ("compare X", "; see 'storage-bench compare --help'"),
      ("run -n", "Missing value for '-n"), ("run extra", "Unexpected argument 'extra'"),
      ("run -n 0", "-n '0' is not usable"), ("run --rate 0", "--rate '0' is not usable"),
      ("run -b sqlit", "unknown backend 'sqlit'; the nearest is 'sqlite'"),
      ("run -w import --aged 3", "--aged 3"), ("crashtest -b sqlite --aged 3", "--aged"),
      ("run --once -b sqlite:library=./none.so -w save-one -n 10", "none.so cannot be read"),
      ("run --once -b sqlite:library=/dev/zero -w save-one -n 10", "library=/dev/zero cannot be read"),
      ("run -w two-processes:kill=yes:saves=5 -b plist -o refused", "saves= has no effect with kill=yes; leave out"),
      ("run --plan plan.yaml", "plan.yaml, line 2: unknown key 'recrods' of the plan"),
      ("run --resume nowhere", "nowhere does not exist"), ("run --resume file", "file is not a directory"),
      ("run --resume x --plan y", "--resume goes on with the run's own options; leave out --plan"),
      ("report run -f json --short", "--short is for Markdown"),
      // A report replaces the file of that name, but never a device.
      ("run -b memory --export-markdown /dev/null", "/dev/null is not a regular file"),
      ("run -b memory --export-markdown /", "/ is a directory"), ("list", "Missing expected argument"),
      ("list things", "unknown list 'things'"), ("report nowhere", "nowhere does not exist"),
      ("report file", "file is not a directory"), ("report .", "is not a run: it has no plan.json"),
      ("report -f xls", "unknown format 'xls'"), ("doctor --scratch file/x", "file is not a directory"),
      ("advise --records 10", "Missing expected argument"),
      ("advise nowhere --records 10 --reads-per-save 1", "nowhere does not exist"),
      ("advise --records few --reads-per-save 1", "--records 'few' is not usable"),
      ("advise --records 10 --reads-per-save=-1", "--reads-per-save '-1' is not usable"),
      ("advise --records 10 --reads-per-save many", "--reads-per-save 'many' is not usable"),
      ("advise --records 10 --reads-per-save 1 --durability durible", "'durible'; the nearest is 'durable'"),
      ("advise --records 10 --reads-per-save 1 --launch-budget 9", "--launch-budget '9' is not"),
      // Rules measure the cells that they name.
      ("check rules.yaml --run run", "--run measures the cells itself and takes no directory"),
      ("check rules.yaml --run -b plist", "the rules name the cells: leave out -b"),
      ("check rules.yaml --run --skip *", "the rules name the cells: leave out --skip"),
      ("check rules.yaml -b plist", "the rules name the cells: leave out -b"),
      ("check rules.yaml --rounds 2", "leave out --rounds, or add --run"),
      ("check rules.yaml --allow-debug", "--allow-debug belongs to --run"),
      ("check c.csv --run", "--run and --allow-debug apply only to rules (.yaml)"),
      // Comparisons.
      ("paired", "paired has nothing to compare"),
      ("paired --base nowhere --head nowhere", "--base: nowhere does not exist"),
      ("paired --base /bin/true --head /bin/true", "--base: /bin/true does not answer as a storage-bench"),
      ("paired --base-backend sqlite -b sqlite,lmdb --allow-debug", "names 2 backends"),
      ("paired --base-backend sqlit -b sqlite --allow-debug", "unknown backend 'sqlit'"),
      ("paired --base-backend sqlite -b lmdb --rounds 5 --allow-debug", "an interval needs at least 6 rounds"),
      ("paired --base-backend sqlite -b lmdb --budget 5m --rounds 8", "both set the number"),
      ("paired --base-backend sqlite -b lmdb --unjudged pass", "unknown choice 'pass'"),
      ("paired --base-backend sqlite -b lmdb --margin 5%@x --allow-debug", "matches no cell"),
      ("paired --base-backend sqlite -b lmdb --inject 101 --allow-debug", "give a factor above 1, at most 100"),
      ("noise -w read-one -n 10 -b null --rounds 3 --allow-debug", "at least 6 rounds"),
      ("merge nowhere -o m", "nowhere does not exist"), ("compare nowhere nowhere", "nowhere does not exist"),
      ("compare a", "Missing expected argument"), ("check r.yaml", "r.yaml does not exist"),
      ("check c.txt", "neither costs nor rules"), ("check c.csv --max-increase byte=3", "c.csv does not exist"),
      ("check c.csv -f xls", "unknown format 'xls'"),
      // Traces.
      ("trace sqlit save-one", "unknown backend 'sqlit'; the nearest is 'sqlite'"),
      ("trace sqlite save-won", "unknown workload 'save-won'; the nearest is 'save-one'"),
      ("trace sqlite,lmdb save-one", "'sqlite,lmdb' is more than one backend"),
      ("trace sqlite read-*", "'read-*' is more than one workload"),
      ("trace sqlite save-one -n 1,2", "give a whole number"), ("trace sqlite save-one -n 0", "-n '0' is not usable"),
      ("trace sqlite save-one --durability durabel", "the nearest is 'durable'"),
      ("trace defaults save-one --durability durable", "cannot be traced"),
      ("trace memory launch-cold", "cannot be traced: nothing is left for another process to read"),
      ("trace sqlite", "workload"),
      ("trace lmdb save-one --sql", "lmdb runs no SQL; leave --sql out, or give one of sqlite"),
      ("trace sqlite save-one --scratch /dev/null/none", "--scratch"),
      // Crash tests.
      ("crashtest -b sqlit", "the nearest is 'sqlite'"), ("crashtest --fault kil", "the nearest is 'kill'"),
      ("crashtest --durability durabel", "the nearest is 'durable'"), ("crashtest -n 1", "-n '1' is not usable"),
      ("crashtest --count 0", "--count '0' is not usable"), ("crashtest --only kill:x=1", "'x=1' of case 'kill:x=1'"),
      ("crashtest --only none.json", "cannot be read"),
      // A case that injects nothing.
      ("crashtest -q -b plist --only kill:save=999999999999999999:call=2", "hits no call in plist"),
      ("crashtest -q -b plist --only eio:save=2:call=99999", "hits no call in plist"),
      ("crashtest -w read-one", "makes no saves"), ("crashtest -w launch-warm", "; take one that saves"),
      ("crashtest -w live-list:until=save", "so crashtest cannot record its saves; take another, such as save-one"),
      ("crashtest -b defaults --durability durable", "none of the backends keeps its data on the disk"),
      ("crashtest -b memory,null", "none of the backends keeps its data on the disk"),
      ("crashtest --sequence put-3", "the nearest is 'put-1'"),
      ("crashtest --sequence delete-1", "where record 1 does not exist (never put, or already deleted); add put-1"),
      ("crashtest --sequence put-1 --first-save", "--sequence and --first-save both say"),
      ("crashtest --sequences 2 -n 5", "--sequences and --records both say"),
      ("crashtest -f xml", "unknown format 'xml'"),
    ])
    func commands(command: String, text: String) async throws {
      try await workplace.expectRefused(command.words, text)
    }

    @Test func anOutputThatHoldsAnotherRun() async throws {
      _ = try await workplace.run("-b null -n 10 --once", into: "first")
      let journal = try workplace.text("first/trials.jsonl")
      try await workplace.expectRefused("run -b null -n 10 --once -o first".words, "--out first holds another run")
      #expect(try workplace.text("first/trials.jsonl") == journal)
    }

    /// Whether /dev/shm is a tmpfs, as on every Linux machine.
    private static let hasRAMDisk =
      (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8))?.contains(" /dev/shm tmpfs ") == true
      && access("/dev/shm", W_OK) == 0

    @Test(.enabled(if: hasRAMDisk, "/dev/shm is no tmpfs here")) func nothingIsDurableInMemory() async throws {
      let scratch = "/dev/shm/storage-bench-test-\(getpid())"
      let arguments = "run -b sqlite -n 10 --rounds 1 --trial-time 1ms --durability durable --scratch \(scratch)".words
      try await workplace.expectRefused(
        arguments,
        "is in memory, where nothing is durable; "
          + "give --scratch a directory on a disk, or with 'run' add --allow-ram-disk")
      #expect(!FileManager.default.fileExists(atPath: scratch))
      try await workplace.bench(arguments + "--allow-debug --allow-ram-disk -q -o ram".words)
      try? FileManager.default.removeItem(atPath: scratch)
    }
  }
}
