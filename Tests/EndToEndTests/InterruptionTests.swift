import Foundation
import StorageReport
import StorageTrial
import Testing

@testable import StorageBench

/// A run that SIGINT or SIGTERM ends can be resumed, and repeats no trial.
extension EndToEnd.Enduring {
  @Suite struct InterruptionTests {
    private let workplace = Workplace()

    private let arguments =
      "run --allow-debug -q -b plist,sqlite:journal=wal,lmdb,memory -w save-one,read-one -n 50 --rounds 4".words
      + "--trial-time 10ms -o run".words

    private var path: String { "\(workplace.path)/run" }

    /// Resumes the run and expects every trial once: 8 cells, 4 rounds and a cost pass.
    private func resume() async throws {
      try await workplace.bench("run --allow-debug -q --resume run")
      let results = try Results(path)
      #expect(results.trialKeys.count == 8 * 5)
      #expect(Set(results.trialKeys).count == 8 * 5)
      #expect(results.rows.allSatisfy { $0["status"] == "ok" && $0["processes"] == "4" })
      #expect(!FileManager.default.fileExists(atPath: "\(path)/scratch"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a run that SIGINT or SIGTERM ends says how to go on`(signal: Int32) async throws {
      let program = try workplace.start(arguments)
      try await program.wait { workplace.trialCount("run") >= 9 }
      program.send(signal)
      let finished = await program.finish(exits: 130)
      #expect(finished.complaints.count == 1)
      #expect(finished.errors.contains("go on with: storage-bench run --resume run"))
      // No trial is recorded as failed, and none still runs in the scratch directory.
      #expect(try Results.trials(path).allSatisfy { $0.status == .ok })
      #expect(!FileManager.default.fileExists(atPath: "\(path)/scratch/trials"))
      try await resume()
    }

    /// Returns the number of the process that made a directory in memory: `.storage-bench-0012345-89abcdef`.
    static func process(in name: String) -> Int32? {
      let parts = name.split(separator: "-")
      return name.hasPrefix(".storage-bench-") && parts.count == 4 ? Int32(parts[2]) : nil
    }

    /// Starts a run that hangs while it counts in memory, and returns its directory there and its child process.
    private func stuck(_ name: String) async throws -> (program: Program, directory: String, child: Int32) {
      let program = try workplace.start(
        "run --allow-debug -q --profile counts -b hangs -w save-one -n 10 -o \(name)".words, program: "MisbehavingBench"
      )
      var found: (directory: String, child: Int32)?
      try await program.wait {
        for name in try FileManager.default.contentsOfDirectory(atPath: Linux.sharedMemory)
        where Self.process(in: name) == program.identifier {
          let directory = "\(Linux.sharedMemory)/\(name)"
          for trial in (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/trials")) ?? [] {
            if let told = StepCounter.read(in: "\(directory)/trials/\(trial)") { found = (directory, told.process) }
          }
        }
        return found != nil
      }
      let (directory, child) = try #require(found)
      return (program, directory, child)
    }

    @Test(.enabled(if: MemoryDirectory().map { $0.close() } != nil, "needs a disk in memory"))
    func nothingStaysInMemory() async throws {
      func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
      // A zombie process has no command line.
      func isRunning(_ process: Int32) -> Bool { Linux.text("/proc/\(process)/cmdline")?.isEmpty == false }
      let killed = try await stuck("killed")
      killed.program.send(SIGKILL)
      _ = await killed.program.finish()
      #expect(exists(killed.directory))
      // The next run removes the directory. A further run keeps the directories that are in use.
      let second = try await stuck("second")
      #expect(!exists(killed.directory))
      let third = try await stuck("third")
      #expect(exists(second.directory) && exists(third.directory))
      for run in [second, third] {
        run.program.send(SIGINT)
        #expect(await run.program.finish().status == 130)
        #expect(!exists(run.directory))
        #expect(!isRunning(run.child))
      }
      // The child of the first run has lost its parent, detects this, and ends.
      let began = ContinuousClock.now
      while isRunning(killed.child), ContinuousClock.now - began < .seconds(60) {
        try await Task.sleep(nanoseconds: 100_000_000)
      }
      #expect(!isRunning(killed.child))
    }
  }
}
