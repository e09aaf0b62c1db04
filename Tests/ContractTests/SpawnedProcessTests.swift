import Foundation
import Testing

@testable import StorageContract

@Suite(.timeLimit(.minutes(15))) struct SpawnedProcessTests {
  private static let pipes: [Int32: SpawnedProcess.Stream] = [0: .pipe, 1: .pipe, 2: .pipe]

  static func shell(
    _ script: String, _ streams: [Int32: SpawnedProcess.Stream] = pipes, leadsGroup: Bool = false
  ) throws -> SpawnedProcess {
    try SpawnedProcess(["/bin/sh", "-c", script], streams: streams, leadsGroup: leadsGroup)
  }

  private static func wait(until isSo: () throws -> Bool) throws {
    for _ in 0..<500 {
      if try isSo() { return }
      usleep(10_000)
    }
    Issue.record("it has not happened in five seconds")
  }

  @Test func outputErrorsAndEndingAreReported() throws {
    let process = try Self.shell("echo out; cat; echo errors >&2; exit 3")
    process.closeInput()
    var sizes: [Int] = []
    let (output, errors) = try process.readAll { sizes.append($0.count) }
    #expect((output, errors) == (Data("out\n".utf8), Data("errors\n".utf8)))
    #expect(sizes.last == 4)
    #expect(process.wait() == .exited(code: 3))
    #expect(process.wait() == .exited(code: 3))
    let other = try Self.shell("kill -SEGV $$")
    #expect(other.wait() == .killed(signal: SIGSEGV))
    #expect(other.wait().status == -SIGSEGV)
  }

  @Test func theAnswerIsTheLastLine() {
    #expect(SpawnedProcess.answer([Int].self, in: Data("\n\n[1]\n[2]\n".utf8)) == [2])
    #expect(SpawnedProcess.answer([Int].self, in: Data("[1]\nno\n".utf8)) == nil)
    #expect(SpawnedProcess.answer([Int].self, in: Data()) == nil)
  }

  @Test func aProgramThatIsMissingIsNotStarted() {
    let error = #expect(throws: SpawnedProcess.StartError.self) { try SpawnedProcess(["/missing/program"]) }
    #expect(error?.code == ENOENT && error?.description == "cannot start a process: No such file or directory")
  }

  @Test func tooLongAnAnswerThrows() async throws {
    let process = try Self.shell("while :; do echo yes; done")
    await #expect(throws: StoreError.failed("the answer is too long")) {
      try await process.attend { try $0.readAll(limit: 10_000).output }
    }
    #expect(process.wait() == .killed(signal: SIGKILL))
  }

  @Test func variablesAreChangedOrReplaced() throws {
    func output(_ environment: [String: String], inherits: Bool) throws -> String {
      let process = try SpawnedProcess(["/usr/bin/env"], environment: environment, inherits: inherits)
      defer { process.wait() }
      return String(decoding: try process.readAll().output, as: UTF8.self)
    }
    #expect(try output(["A": "b=c"], inherits: false) == "A=b=c\n")
    let lines = try output(["PATH": "here"], inherits: true).split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("PATH=") } == ["PATH=here"])
    #expect(lines.contains { $0.hasPrefix("HOME=") } == (getenv("HOME") != nil))
  }

  /// A separate process, because other tests' descriptors have numbers that a spawned process does not check.
  @Test func aLeaderOfAGroupGetsNoDescriptorButItsOwn() async {
    await #expect(processExitsWith: .success) {
      let directory = FileManager.default.temporaryDirectory.path
      let (open, given) = (Foundation.open(directory, O_RDONLY), Foundation.open(directory, O_RDONLY))
      let script = "for fd in \(open) 900; do if [ -d /proc/self/fd/$fd ]; then echo $fd; fi; done"
      func output(leadsGroup: Bool) throws -> String {
        let process = try SpawnedProcessTests.shell(
          script, [1: .pipe, 900: .descriptor(given)], leadsGroup: leadsGroup)
        defer { process.wait() }
        return String(decoding: try process.readAll().output, as: UTF8.self)
      }
      let outputs = [try output(leadsGroup: true), try output(leadsGroup: false)]
      #expect(outputs == ["900\n", "\(open)\n900\n"])
    }
  }

  /// The test process itself ignores the signal, like a benchmark process.
  @Test func aLeaderOfAGroupHasTheUsualActionsForSignals() throws {
    let before = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, before) }
    #expect(try Self.shell("kill -PIPE $$", leadsGroup: true).wait() == .killed(signal: SIGPIPE))
    #expect(try Self.shell("kill -PIPE $$").wait() == .exited(code: 0))
  }

  @Test func cancellingKillsTheWholeGroup() async throws {
    let process = try Self.shell("sleep 600 & echo started; wait", leadsGroup: true)
    #expect(getpgid(process.identifier) == process.identifier)
    try Self.wait { process.hasOutput }
    let task = Task {
      try await process.attend { process in
        _ = try process.readAll()
        return process.wait()
      }
    }
    task.cancel()
    // The output ends when the child of the shell has ended, too.
    #expect(try await task.value == .killed(signal: SIGKILL))
    process.kill()
    process.pause()
  }

  @Test func aPausedProcessDoesNothingUntilItGoesOn() throws {
    // The child of the shell is paused, too.
    let process = try Self.shell("while :; do :; done & while :; do :; done", leadsGroup: true)
    let leader = process.identifier
    defer { process.kill() }
    func ticks() throws -> [UInt64] {
      // The fields after the name: state, parent, group, and user time as the 12th.
      let stats = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.compactMap {
        try? String(contentsOfFile: "/proc/\($0)/stat", encoding: .utf8)
      }
      return stats.compactMap { stat -> UInt64? in
        let fields = stat[stat.lastIndex(of: ")")!...].split(separator: " ").dropFirst()
        return Array(fields)[2] == "\(leader)" ? UInt64(Array(fields)[11]) : nil
      }.sorted()
    }
    try Self.wait { try ticks().count == 2 && ticks().allSatisfy { $0 > 0 } }
    process.pause()
    usleep(20_000)
    let before = try ticks()
    usleep(100_000)
    #expect(try ticks() == before)
    process.resume()
    try Self.wait { try zip(before, ticks()).allSatisfy { $0 < $1 } }
    // The process is paused a second time, and killed while it is paused.
    process.pause()
    process.kill()
    #expect(process.wait() == .killed(signal: SIGKILL))
    process.pause()
    process.resume()
  }
}
